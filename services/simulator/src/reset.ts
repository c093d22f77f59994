import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

const resets = new WeakSet<ServerResponse>();

/** Ends a connection with a reset; what was not yet sent is lost. */
export function reset(response: ServerResponse): void {
  if (response.destroyed) return;
  resets.add(response);
  if (response.socket) resetSocket(response.socket);
}

/** Cuts a connection with a reset; one under TLS has none of its own, and ends without a word. */
export function resetSocket(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Whether it was this side that ended the connection. */
export function wasReset(response: ServerResponse): boolean {
  return resets.has(response);
}
