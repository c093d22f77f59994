import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';

type Fields = Record<string, unknown>;

/** A session at the scripted upstream. */
export interface UpstreamSession {
  socket: WebSocket;
  url: string;
  headers: IncomingHttpHeaders;
  /** The client's events in order; messages that are not JSON are text or bytes. */
  received: unknown[];
  /** The code and reason of its close. */
  closed: Promise<{ code: number; reason: string }>;
  send(event: Fields): void;
}

export interface ScriptedUpstream {
  baseUrl: string;
  sessions: UpstreamSession[];
  /** The number of requested upgrades. */
  asked: number;
  /** Refuses upgrades, or returns the action for a new session; undefined for the default behaviour. */
  fault:
    | {
        status?: number;
        body?: Fields;
        headers?: Record<string, string>;
        open?(session: UpstreamSession): void;
      }
    | undefined;
  /** The action for unknown events; none by default. */
  unknown(session: UpstreamSession, event: Fields): void;
  close(): Promise<void>;
}

const usage = {
  total_tokens: 30,
  input_tokens: 20,
  output_tokens: 10,
  input_token_details: { text_tokens: 15, audio_tokens: 5, image_tokens: 0, cached_tokens: 4 },
  output_token_details: { text_tokens: 4, audio_tokens: 6 },
};

/** An upstream with a realtime API that answers with the last text, and does not end the response to `slow`. */
export async function startUpstream(): Promise<ScriptedUpstream> {
  const http = createServer((_request, response) => response.writeHead(426).end());
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const upstream: ScriptedUpstream = {
    baseUrl: '',
    sessions: [],
    asked: 0,
    fault: undefined,
    unknown: () => {},
    async close() {
      for (const { socket } of upstream.sessions) socket.terminate();
      http.close();
      http.closeAllConnections();
    },
  };
  http.on('upgrade', (request, socket, head) => {
    upstream.asked++;
    const { status, body, headers = {} } = upstream.fault ?? {};
    if (status) {
      const text = JSON.stringify(body ?? {});
      const lines = Object.entries({ 'content-length': String(text.length), ...headers }).map(pair =>
        pair.join(': '),
      );
      return void socket.end(`HTTP/1.1 ${status} No\r\n${lines.join('\r\n')}\r\n\r\n${text}`);
    }
    server.handleUpgrade(request, socket, head, opened => {
      const session = sessionOf(opened, request);
      upstream.sessions.push(session);
      if (upstream.fault?.open) upstream.fault.open(session);
      else new Script(session, upstream).run();
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  upstream.baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
  return upstream;
}

let count = 0;

function sessionOf(socket: WebSocket, request: IncomingMessage): UpstreamSession {
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  socket.on('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }));
  socket.on('error', () => {});
  return {
    socket,
    url: request.url ?? '',
    headers: request.headers,
    received: [],
    closed: closed.promise,
    send: event => socket.send(JSON.stringify({ event_id: `event_${++count}`, ...event })),
  };
}

class Script {
  readonly #session: UpstreamSession;
  readonly #upstream: ScriptedUpstream;
  #state: Fields;
  #said = '';
  /** The last response. */
  #response: Fields = {};

  constructor(session: UpstreamSession, upstream: ScriptedUpstream) {
    this.#session = session;
    this.#upstream = upstream;
    const model = new URL(session.url, 'http://x').searchParams.get('model');
    this.#state = {
      type: 'realtime',
      object: 'realtime.session',
      id: `sess_${++count}`,
      model,
      expires_at: Math.floor(Date.now() / 1_000) + 7_200,
      output_modalities: ['audio'],
      audio: {
        input: { format: { type: 'audio/pcm', rate: 24_000 } },
        output: { format: { type: 'audio/pcm', rate: 24_000 } },
      },
    };
  }

  run(): void {
    this.#session.send({ type: 'session.created', session: this.#state });
    this.#session.socket.on('message', (data, isBinary) => this.#read(data, isBinary));
  }

  #read(data: RawData, isBinary: boolean): void {
    const { received, socket } = this.#session;
    if (isBinary) {
      received.push(data);
      return socket.send(data, { binary: true });
    }
    const event = JSON.parse(String(data)) as Fields;
    received.push(event);
    switch (event.type) {
      case 'session.update':
        this.#state = { ...this.#state, ...(event.session as Fields) };
        return this.#session.send({ type: 'session.updated', session: this.#state });
      case 'conversation.item.create':
        return this.#add(event.item as Fields);
      case 'response.create':
        return this.#respond();
      case 'response.cancel':
        return this.#end('cancelled');
      default:
        return this.#upstream.unknown(this.#session, event);
    }
  }

  #add(given: Fields): void {
    const item = { id: `item_${++count}`, object: 'realtime.item', status: 'completed', ...given };
    const content = (given.content as { text?: string }[] | undefined)?.[0];
    this.#said = content?.text ?? String(given.output ?? '');
    this.#session.send({ type: 'conversation.item.added', previous_item_id: null, item });
    this.#session.send({ type: 'conversation.item.done', previous_item_id: null, item });
  }

  #respond(): void {
    const id = `resp_${++count}`;
    this.#response = { id, object: 'realtime.response', status_details: null, output: [] };
    const response = { ...this.#response, status: 'in_progress', usage: null };
    this.#session.send({ type: 'response.created', response });
    this.#say(id, this.#said);
    if (this.#said !== 'slow') this.#end('completed');
  }

  #say(response_id: string, text: string): void {
    const item_id = `item_${++count}`;
    const ids = { response_id, output_index: 0 };
    const at = { ...ids, item_id, content_index: 0 };
    const item = { id: item_id, object: 'realtime.item', type: 'message', role: 'assistant' };
    const events: Fields[] = [
      { type: 'response.output_item.added', ...ids, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...at, part: { type: 'text', text: '' } },
      { type: 'response.output_text.delta', ...at, delta: text },
      { type: 'response.output_text.done', ...at, text },
      {
        type: 'response.output_item.done',
        ...ids,
        item: { ...item, status: 'completed', content: [{ type: 'output_text', text }] },
      },
    ];
    for (const event of events) this.#session.send(event);
  }

  #end(status: string): void {
    const cancelled = { type: 'cancelled', reason: 'client_cancelled' };
    const status_details = status === 'cancelled' ? cancelled : null;
    const response = { ...this.#response, status, status_details, usage };
    this.#session.send({ type: 'response.done', response });
  }
}
