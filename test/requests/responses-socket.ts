import { once } from 'node:events';
import { vi } from 'vitest';
import WebSocket from 'ws';
import type { Stack } from '../stack/stack.ts';

export interface SocketEvent {
  type: string;
  stream_id?: string;
  error?: { code: string; param: unknown };
  response?: { id: string; status: string };
}

/** The types of the last event of a response. */
export const over = /^(response\.(completed|incomplete|failed)|error)$/;

/** Opens a connection for responses. */
export async function openSocket({ url, token: own }: Stack, token = own) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const got: SocketEvent[] = [];
  const closed = once(socket, 'close');
  socket.on('message', data => got.push(JSON.parse(String(data))));
  await once(socket, 'open');
  const send = (message: object) => socket.send(JSON.stringify({ type: 'response.create', ...message }));
  /** The first new event of a type since the last call. */
  const next = (type: RegExp) =>
    vi.waitFor(
      () => {
        const i = got.findIndex(event => type.test(event.type));
        if (i < 0) throw new Error(`no ${type} among ${got.map(({ type }) => type)}`);
        return got.splice(0, i + 1).at(-1) as SocketEvent;
      },
      { timeout: 60_000, interval: 10 },
    );
  return { socket, got, closed, send, next };
}
