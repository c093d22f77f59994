import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { vi } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';

type Event = Record<string, unknown> & { type: string };

/** A raw client of the realtime API. */
export interface RawClient {
  socket: WebSocket;
  requestId: string;
  events: Event[];
  /** The binary messages received. */
  bytes: Buffer[];
  closed: Promise<{ code: number; reason: string }>;
  send(event: Record<string, unknown> | string): void;
  say(text: string): void;
  /** Returns the next event of a type, from index `after` on. */
  event(type: string, after?: number): Promise<Event>;
}

/** The refusal of an upgrade. */
export interface Refusal {
  status: number;
  headers: IncomingMessage['headers'];
  error: { message: string; type: string; code: string | null; param: string | null };
}

export function url(base: string, model?: string): string {
  const query = model === undefined ? '' : `?model=${encodeURIComponent(model)}`;
  return `${base.replace(/^http/, 'ws')}/v1/realtime${query}`;
}

/** Opens a session; rejects if it is refused. */
export async function openRaw(
  to: string,
  options: ClientOptions = {},
  protocols: string[] = [],
): Promise<RawClient> {
  const socket = new WebSocket(to, protocols, { perMessageDeflate: false, ...options });
  const client = rawOf(socket);
  const [[response]] = await Promise.all([once(socket, 'upgrade'), once(socket, 'open')]);
  client.requestId = (response as IncomingMessage).headers['x-request-id'] as string;
  return client;
}

/** Requests a session and returns its refusal. */
export async function refused(
  to: string,
  options: ClientOptions = {},
  protocols: string[] = [],
): Promise<Refusal> {
  const socket = new WebSocket(to, protocols, options);
  socket.on('error', () => {});
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const { error } = JSON.parse(Buffer.concat(chunks).toString());
  return { status: response.statusCode ?? 0, headers: response.headers, error };
}

export function bearer(token: string): ClientOptions {
  return { headers: { authorization: `Bearer ${token}` } };
}

function rawOf(socket: WebSocket): RawClient {
  const events: Event[] = [];
  const bytes: Buffer[] = [];
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  socket.on('message', (data, isBinary) => {
    if (isBinary) bytes.push(data as Buffer);
    else events.push(JSON.parse(String(data)));
  });
  socket.on('error', () => {});
  socket.on('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }));
  const send = (event: Record<string, unknown> | string) =>
    socket.send(typeof event === 'string' ? event : JSON.stringify(event));
  return {
    socket,
    requestId: '',
    events,
    bytes,
    closed: closed.promise,
    send,
    say(text) {
      const content = [{ type: 'input_text', text }];
      send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
      send({ type: 'response.create' });
    },
    event: (type, after = 0) =>
      vi.waitFor(
        () => {
          const found = events.slice(after).find(event => event.type === type);
          if (!found) throw new Error(`no ${type} among ${events.map(event => event.type).join(', ')}`);
          return found;
        },
        { timeout: 15_000, interval: 10 },
      ),
  };
}
