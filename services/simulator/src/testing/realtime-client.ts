import { vi } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';

/** A received event. */
export interface Seen {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of any type
  [field: string]: any;
}

/** A realtime session with the simulator. */
export class RealtimeClient {
  readonly socket: WebSocket;
  readonly seen: Seen[] = [];
  readonly odd: (string | Buffer)[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #read = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => {
      try {
        if (isBinary) this.odd.push(data as Buffer);
        else this.seen.push(JSON.parse(String(data)));
      } catch {
        this.odd.push(String(data));
      }
    });
    socket.on('error', () => {});
    this.closed = new Promise(resolve =>
      socket.on('close', (code, reason) => {
        resolve({ code, reason: String(reason) });
      }),
    );
  }

  /** Opens a session. @throws an error `status: body` if the upgrade is refused */
  static async open(url: string, model: string, options: ClientOptions = {}, protocols: string[] = []) {
    const address = `${url.replace(/^http/, 'ws')}/v1/realtime?model=${encodeURIComponent(model)}`;
    const client = new RealtimeClient(new WebSocket(address, protocols, options));
    await new Promise((resolve, reject) => {
      client.socket.once('open', resolve);
      client.socket.once('error', reject);
      client.socket.once('unexpected-response', async (_request, response) => {
        const text = await response.setEncoding('utf8').toArray();
        reject(Object.assign(new Error(`${response.statusCode}: ${text.join('')}`), { response }));
      });
    });
    return client;
  }

  send(type: string, fields: object = {}): void {
    this.socket.send(JSON.stringify({ type, ...fields }));
  }

  say(text: string): void {
    const content = [{ type: 'input_text', text }];
    this.send('conversation.item.create', { item: { type: 'message', role: 'user', content } });
  }

  /** The events up to the next event of a type. */
  until(type: string): Promise<Seen[]> {
    const find = () => {
      const at = this.seen.findIndex((event, index) => index >= this.#read && event.type === type);
      const events = this.seen.slice(this.#read, at < 0 ? undefined : at + 1);
      if (at < 0)
        throw new Error(`Expected ${type}, but received ${events.map(event => event.type).join()}.`);
      this.#read = at + 1;
      return events;
    };
    return vi.waitFor(find, { interval: 5 });
  }

  async next(type: string): Promise<Seen> {
    return (await this.until(type)).at(-1) as Seen;
  }

  /** Requests a response and returns its events. */
  async respond(response: object = {}): Promise<Seen[]> {
    this.send('response.create', { response });
    return this.until('response.done');
  }
}

/** A tone and the silence after it, in milliseconds. */
export function speech(toneMs: number, silenceMs: number): Buffer {
  const audio = Buffer.alloc((toneMs + silenceMs) * 48);
  for (let at = 0; at < toneMs * 24; at++) audio.writeInt16LE(Math.round(8_000 * Math.sin(at / 10)), at * 2);
  return audio;
}
