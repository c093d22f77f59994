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
  /** The action for unknown events. */
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

/**
 * An upstream with a realtime API whose answer depends on the last text: `tool`, `audio`, `slow`, otherwise
 * an echo.
 */
export async function startUpstream(): Promise<ScriptedUpstream> {
  const http = createServer((_request, response) => response.writeHead(426).end());
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const upstream: ScriptedUpstream = {
    baseUrl: '',
    sessions: [],
    asked: 0,
    fault: undefined,
    unknown: (session, event) =>
      session.send(failure(`Unknown event ${String(event.type)}`, 'invalid_value', event.event_id)),
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

function failure(message: string, code: string, event_id: unknown = null): Fields {
  return { type: 'error', error: { type: 'invalid_request_error', code, message, param: null, event_id } };
}

class Script {
  readonly #session: UpstreamSession;
  readonly #upstream: ScriptedUpstream;
  #state: Fields;
  #said = '';
  #running: { id: string; timer: NodeJS.Timeout | undefined } | undefined;

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
      instructions: '',
      tools: [],
      client_secret: null,
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
      case 'input_audio_buffer.append':
        return;
      case 'input_audio_buffer.commit':
        this.#said = 'audio';
        this.#session.send({
          type: 'input_audio_buffer.committed',
          item_id: `item_${++count}`,
          previous_item_id: null,
        });
        return;
      case 'response.create':
        return this.#respond(event);
      case 'response.cancel':
        return this.#cancel();
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

  #respond(event: Fields): void {
    if (this.#running)
      return this.#session.send(
        failure('One is running.', 'conversation_already_has_active_response', event.event_id),
      );
    const id = `resp_${++count}`;
    this.#running = { id, timer: undefined };
    this.#session.send({
      type: 'response.created',
      response: {
        id,
        object: 'realtime.response',
        status: 'in_progress',
        status_details: null,
        output: [],
        usage: null,
      },
    });
    if (this.#said === 'tool') return this.#call(id);
    if (this.#said === 'slow') return void this.#part(id, 'text', 'slowly');
    this.#part(id, this.#said === 'audio' ? 'audio' : 'text', this.#said);
    this.#end('completed');
  }

  #call(response_id: string): void {
    const ids = { response_id, output_index: 0 };
    const item = {
      id: `item_${++count}`,
      object: 'realtime.item',
      type: 'function_call',
      call_id: 'call_1',
      name: 'weather',
    };
    this.#session.send({
      type: 'response.output_item.added',
      ...ids,
      item: { ...item, status: 'in_progress', arguments: '' },
    });
    const at = { ...ids, item_id: item.id, call_id: 'call_1' };
    this.#session.send({ type: 'response.function_call_arguments.delta', ...at, delta: '{"city":"Bern"}' });
    this.#session.send({
      type: 'response.function_call_arguments.done',
      ...at,
      name: 'weather',
      arguments: '{"city":"Bern"}',
    });
    this.#session.send({
      type: 'response.output_item.done',
      ...ids,
      item: { ...item, status: 'completed', arguments: '{"city":"Bern"}' },
    });
    this.#end('completed');
  }

  #part(response_id: string, kind: 'text' | 'audio', text: string): void {
    const item_id = `item_${++count}`;
    const ids = { response_id, output_index: 0 };
    const at = { ...ids, item_id, content_index: 0 };
    const item = { id: item_id, object: 'realtime.item', type: 'message', role: 'assistant' };
    const part = kind === 'text' ? { type: 'text', text: '' } : { type: 'audio', transcript: '' };
    this.#session.send({
      type: 'response.output_item.added',
      ...ids,
      item: { ...item, status: 'in_progress', content: [] },
    });
    this.#session.send({ type: 'response.content_part.added', ...at, part });
    if (kind === 'text') {
      this.#session.send({ type: 'response.output_text.delta', ...at, delta: text });
      this.#session.send({ type: 'response.output_text.done', ...at, text });
    } else {
      this.#session.send({ type: 'response.output_audio_transcript.delta', ...at, delta: 'hello' });
      this.#session.send({
        type: 'response.output_audio.delta',
        ...at,
        delta: Buffer.alloc(4_800, 1).toString('base64'),
      });
      this.#session.send({ type: 'response.output_audio.done', ...at });
      this.#session.send({ type: 'response.output_audio_transcript.done', ...at, transcript: 'hello' });
    }
    const whole =
      kind === 'text' ? { type: 'output_text', text } : { type: 'output_audio', transcript: 'hello' };
    this.#session.send({
      type: 'response.output_item.done',
      ...ids,
      item: { ...item, status: 'completed', content: [whole] },
    });
  }

  #cancel(): void {
    if (!this.#running) return this.#session.send(failure('None is running.', 'response_cancel_not_active'));
    this.#end('cancelled');
  }

  #end(status: string): void {
    const id = this.#running?.id;
    this.#running = undefined;
    const status_details = status === 'cancelled' ? { type: 'cancelled', reason: 'client_cancelled' } : null;
    this.#session.send({
      type: 'response.done',
      response: { id, object: 'realtime.response', status, status_details, output: [], usage },
    });
  }
}
