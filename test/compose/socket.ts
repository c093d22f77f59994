import { once } from 'node:events';
import { WebSocket } from 'ws';

const answerMs = 30_000;

interface Event {
  type: string;
  response?: { id: string; output: { content?: { text?: string }[] }[] };
}

/** A client of `/v1/responses` over a WebSocket. */
export class SocketClient {
  readonly #socket: WebSocket;
  /** The pings of the server, each of which was answered. */
  pings = 0;
  /** The reason of the server's close. */
  closed: number | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('ping', () => this.pings++);
    socket.on('close', code => {
      this.closed = code;
    });
  }

  /** @throws Error with the status if the upgrade is refused */
  static async open(url: string, token: string): Promise<SocketClient> {
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/responses`, { headers });
    const client = new SocketClient(socket);
    await once(socket, 'open');
    return client;
  }

  /** Sends a request and returns all events of the response. */
  async create(request: object): Promise<Event[]> {
    const events: Event[] = [];
    const over = Promise.withResolvers<void>();
    const read = (data: unknown) => {
      const event: Event = JSON.parse(String(data));
      events.push(event);
      if (/^(error|response\.(completed|failed|incomplete))$/.test(event.type)) over.resolve();
    };
    const late = setTimeout(() => over.reject(new Error(`no end after ${events.length} events`)), answerMs);
    this.#socket.on('message', read);
    this.#socket.send(JSON.stringify({ type: 'response.create', ...request }));
    try {
      await over.promise;
      return events;
    } finally {
      clearTimeout(late);
      this.#socket.off('message', read);
    }
  }

  /** Sends a request without waiting for the response. */
  send(request: object): void {
    this.#socket.send(JSON.stringify({ type: 'response.create', ...request }));
  }

  /** The delay of a pong, in milliseconds. */
  async ping(): Promise<number> {
    const sentAt = performance.now();
    const answered = once(this.#socket, 'pong', { signal: AbortSignal.timeout(answerMs) });
    this.#socket.ping();
    await answered;
    return performance.now() - sentAt;
  }

  /** Terminates the connection. */
  leave(): void {
    this.#socket.terminate();
  }
}

/**
 * Sends one event in a realtime session, and returns the types of the events up to the end of the response.
 */
export async function realtimeTurn(url: string, token: string, text: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/realtime?model=sim-fast`, { headers });
  const types: string[] = [];
  const over = Promise.withResolvers<void>();
  const late = setTimeout(() => over.reject(new Error(`no end after ${types}`)), answerMs);
  const send = (event: object) => socket.send(JSON.stringify(event));
  socket.on('error', over.reject);
  socket.on('message', data => {
    const { type } = JSON.parse(String(data));
    types.push(type);
    if (type === 'session.created') {
      const content = [{ type: 'input_text', text }];
      send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
      send({ type: 'response.create', response: { output_modalities: ['text'] } });
    }
    if (type === 'response.done') over.resolve();
  });
  try {
    await over.promise;
    return types;
  } finally {
    clearTimeout(late);
    socket.terminate();
  }
}
