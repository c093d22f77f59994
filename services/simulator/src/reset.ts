import type { ServerResponse } from 'node:http';

const resets = new WeakSet<ServerResponse>();

/** Ends a connection with a reset; what was not yet sent is lost. */
export function reset(response: ServerResponse): void {
  if (response.destroyed) return;
  resets.add(response);
  response.socket?.resetAndDestroy();
}

/** Whether it was this side that ended the connection. */
export function wasReset(response: ServerResponse): boolean {
  return resets.has(response);
}
