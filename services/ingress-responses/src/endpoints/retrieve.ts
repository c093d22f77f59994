import type { Clock } from '@model-gateway/clock';
import { responsesFormat } from '@model-gateway/formats/responses';
import type { ResourceEndpoint, ResponseSink } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { clientStore, type StoredServices } from '../store/client-store.ts';
import { settleLost } from '../store/lost.ts';
import type { Store } from '../store/store.ts';
import { parseLookup } from './parse-lookup.ts';
import { EventsAfter, eventsNotStored, renderBegun, unknownResponse } from './render-events.ts';

const lostMessage = 'The remaining events are not stored: the response was deleted, or the store was full.';

/** `GET /v1/responses/<id>`: returns a stored response, or streams its events. */
export function retrieve(services: StoredServices): ResourceEndpoint {
  return {
    format: responsesFormat.format,
    renderError: responsesFormat.renderError,
    method: 'GET',
    path: '/v1/responses/{id}',
    pattern: /^\/v1\/responses\/[^/]+$/,
    async answer(request, sink, signal) {
      const { project } = request.token;
      const { id, events } = parseLookup(request.url);
      const store = clientStore(services, request, sink, signal);
      if (events) return followEvents(store, { project, id, after: events.after }, sink, signal);
      const response = await readResponse(store, project, id);
      sendText(sink, response);
    },
  };
}

/** Reads the current response. @throws GatewayError if it does not exist */
async function readResponse(store: Store, project: string, id: string): Promise<string> {
  const stored = await store.getResponse(project, id);
  if (stored !== undefined) return stored;
  await settleLost(store, project, id);
  const settled = await store.getResponse(project, id);
  if (settled !== undefined) return settled;
  const begun = await renderBegun(store.events(project, id));
  if (!begun) throw unknownResponse(id);
  return begun;
}

export function sendText(sink: ResponseSink, text: string): void {
  const body = Buffer.from(text);
  sink.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  sink.end(body);
}

interface Wanted {
  project: string;
  id: string;
  after: number;
}

/** Writes a response's stored events, then its new ones until it ends. */
export async function followEvents(
  store: Store,
  { project, id, after }: Wanted,
  sink: ResponseSink,
  signal: AbortSignal,
): Promise<void> {
  const first = await store.firstEvents(project, id);
  const stored = await store.sizeOf(project, id);
  if (!first) throw stored ? eventsNotStored(id) : unknownResponse(id);
  const events = new EventsAfter(after);
  if (!events.reaches(first.bytes)) throw eventsNotStored(id);
  let reserved = await mostHeld(store, { project, id, stored });
  store.reserve(reserved);
  sink.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  const paced = new Paced(sink, store.clock, signal);
  const lost = new AbortController();
  const idle = async () => {
    await paced.ping();
    if (!(await settleLost(store, project, id))) lost.abort();
  };
  const either = AbortSignal.any([signal, lost.signal]);
  for await (const piece of store.follow(project, id, { signal: either, idle })) {
    const text = events.push(piece.bytes);
    const held = text.length + events.held;
    if (held > reserved) store.reserve(held - reserved);
    reserved = Math.max(reserved, held);
    await paced.write(text);
  }
  if (!signal.aborted) sink.end(lost.signal.aborted ? events.fail(lostMessage) : events.end());
}

/**
 * Returns the most bytes of stored events that a follower holds: one that is complete and one that is not. None is much larger
 * than the response, nor than all events.
 */
async function mostHeld(
  store: Store,
  {
    project,
    id,
    stored = Number.POSITIVE_INFINITY,
  }: { project: string; id: string; stored: number | undefined },
): Promise<number> {
  const { size = 0 } = (await store.lastEvents(project, id)) ?? {};
  return Math.min(size, 2 * stored);
}

/** The time without data after which a stream gets a ping, in milliseconds. */
const pingMs = 10_000;

/** Writes to a client with backpressure. */
class Paced {
  readonly #sink: ResponseSink;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #wroteAt: number;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(sink: ResponseSink, clock: Clock, signal: AbortSignal) {
    this.#sink = sink;
    this.#clock = clock;
    this.#wroteAt = clock.now();
    this.#signal = signal;
    sink.on('drain', () => this.#drained?.resolve());
    signal.addEventListener('abort', () => this.#drained?.resolve());
  }

  async write(bytes: string): Promise<void> {
    if (bytes === '' || this.#signal.aborted) return;
    this.#wroteAt = this.#clock.now();
    this.#sink.write(bytes);
    if (!this.#sink.writableNeedDrain || this.#signal.aborted) return;
    this.#drained = Promise.withResolvers();
    await this.#drained.promise;
  }

  /** Writes a ping if nothing was written for {@link pingMs}. */
  async ping(): Promise<void> {
    if (this.#clock.now() - this.#wroteAt >= pingMs) await this.write(sseComment('ping'));
  }
}
