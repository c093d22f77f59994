import type { ResourceEndpoint, ResponseSink } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { responsesFormat } from '../format/format.ts';
import { settleLost } from '../store/lost.ts';
import type { Store } from '../store/store.ts';
import { parseLookup } from './parse-lookup.ts';
import { EventsAfter, renderBegun, unknownResponse, unstreamed } from './render-events.ts';

const lostMessage = 'The rest of the events is not kept: the response was deleted, or there was no room.';

/** `GET /v1/responses/<id>`: a response that is kept, or its events. */
export function retrieve(store: Store): ResourceEndpoint {
  return {
    renderError: responsesFormat.renderError,
    method: 'GET',
    path: '/v1/responses/{id}',
    pattern: /^\/v1\/responses\/[^/]+$/,
    async answer({ token: { project }, url }, outlet, signal) {
      const { id, events } = parseLookup(url);
      if (events) return followEvents(store, { project, id, after: events.after }, outlet, signal);
      const response = await readResponse(store, project, id);
      sendText(outlet, response);
    },
  };
}

/** The response as it is now. @throws GatewayError if there is none */
async function readResponse(store: Store, project: string, id: string): Promise<string> {
  const turn = await store.get(project, id);
  if (turn) return turn.response;
  await settleLost(store, project, id);
  const settled = await store.get(project, id);
  if (settled) return settled.response;
  const begun = renderBegun(await store.events(project, id));
  if (!begun) throw unknownResponse(id);
  return begun;
}

export function sendText(outlet: ResponseSink, text: string): void {
  outlet.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  outlet.end(text);
}

interface Wanted {
  project: string;
  id: string;
  after: number;
}

/** Writes a response's events to its end, those that are kept and those that come. */
export async function followEvents(
  store: Store,
  { project, id, after }: Wanted,
  outlet: ResponseSink,
  signal: AbortSignal,
): Promise<void> {
  const first = await store.firstEvents(project, id);
  if (!first) throw (await store.get(project, id)) ? unstreamed(id) : unknownResponse(id);
  const events = new EventsAfter(after);
  if (!events.reaches(first.bytes)) throw unstreamed(id);
  outlet.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  const paced = new Paced(outlet, signal);
  const lost = new AbortController();
  const idle = async () => {
    await paced.ping();
    if (!(await settleLost(store, project, id))) lost.abort();
  };
  const either = AbortSignal.any([signal, lost.signal]);
  for await (const piece of store.follow(project, id, { signal: either, idle }))
    await paced.write(events.push(piece.bytes));
  if (!signal.aborted) outlet.end(lost.signal.aborted ? events.fail(lostMessage) : events.end());
}

/** How long a stream may be silent before its reader is shown that it lives. */
const pingMs = 10_000;

/** Writes no faster than the client takes it. */
export class Paced {
  readonly #outlet: ResponseSink;
  readonly #signal: AbortSignal;
  #wroteAt = Date.now();
  #taken: PromiseWithResolvers<void> | undefined;

  constructor(outlet: ResponseSink, signal: AbortSignal) {
    this.#outlet = outlet;
    this.#signal = signal;
    outlet.on('drain', () => this.#taken?.resolve());
    signal.addEventListener('abort', () => this.#taken?.resolve());
  }

  async write(bytes: string): Promise<void> {
    if (bytes === '' || this.#signal.aborted) return;
    this.#wroteAt = Date.now();
    this.#outlet.write(bytes);
    if (!this.#outlet.writableNeedDrain || this.#signal.aborted) return;
    this.#taken = Promise.withResolvers();
    await this.#taken.promise;
  }

  /** Shows a client that has waited for long that the stream lives. */
  async ping(): Promise<void> {
    if (Date.now() - this.#wroteAt >= pingMs) await this.write(sseComment('ping'));
  }
}
