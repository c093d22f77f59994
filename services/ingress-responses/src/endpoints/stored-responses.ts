import type { Clock } from '@model-gateway/clock';
import { invalid, responsesFormat, withoutPrefix } from '@model-gateway/formats/responses';
import { type ResourceEndpoint, type ResponseSink, sendJson } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { RevisionConflictError } from '@model-gateway/store';
import type { ItemList } from '../items/item-list.ts';
import { type ItemSource, renderPage } from '../items/item-page.ts';
import { named, nameOf } from '../items/item-text.ts';
import { unheldReads } from '../reads/reads.ts';
import { readEvents, settleLost } from '../store/lost.ts';
import { clientStore, type StoredServices } from '../store/response-services.ts';
import { lastEvents } from '../store/rewriter.ts';
import { keyOf, type Store } from '../store/store.ts';
import { isOver } from '../store/turn.ts';
import { idOf, parseLookup, parsePage } from './parse-lookup.ts';
import { EventsAfter, eventsNotStored, renderBegun, unknownResponse } from './render-events.ts';
import { withStatus } from './render-waiting.ts';

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

interface Requested {
  project: string;
  id: string;
  after: number;
}

/** Writes a response's stored events, then its new ones until it ends. */
export async function followEvents(
  store: Store,
  { project, id, after }: Requested,
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

/** `DELETE /v1/responses/<id>`. A running background response is aborted. */
export function remove(services: StoredServices, announce: (key: string) => void): ResourceEndpoint {
  return {
    format: responsesFormat.format,
    renderError: responsesFormat.renderError,
    method: 'DELETE',
    path: '/v1/responses/{id}',
    pattern: /^\/v1\/responses\/[^/]+$/,
    async answer(request, sink, signal) {
      const { token, url } = request;
      const id = parseRemoval(url);
      const store = clientStore(services, request, sink, signal);
      if (!(await store.remove(token.project, id))) throw unknownResponse(id);
      announce(keyOf(token.project, id));
      sendJson(sink, 200, renderRemoval(id));
    },
  };
}

/** Parses the response id in the URL. */
function parseRemoval(url: string): string {
  return parseLookup(url.replace(/\?.*$/s, '')).id;
}

function renderRemoval(id: string) {
  return { id, object: 'response', deleted: true };
}

/** `GET /v1/responses/<id>/input_items`: lists the input items of a stored response. */
export function inputItems(services: StoredServices): ResourceEndpoint {
  return {
    format: responsesFormat.format,
    renderError: responsesFormat.renderError,
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    pattern: /^\/v1\/responses\/[^/]+\/input_items$/,
    async answer(request, sink, signal) {
      const { id, ...page } = parsePage(request.url);
      const store = clientStore(services, request, sink, signal);
      const name = withoutPrefix(id);
      const rendered = await store.useItems(request.token.project, id, items =>
        renderPage(withNames(items, name), page, bytes => store.turn(bytes)),
      );
      if (rendered === undefined) throw unknownResponse(id);
      sendText(sink, rendered);
    },
  };
}

/** The items of a response, of which those without an id of their own get one. */
function withNames(items: ItemList, name: string): ItemSource {
  return {
    count: items.count,
    async read(from, to) {
      return (await items.read(from, to)).map((item, i) => named(item, name, from + i));
    },
    async find(id) {
      const place = Number(/_in(\d+)$/.exec(id)?.[1] ?? -1);
      if (items.isUnnamed(place)) {
        const [item] = await items.read(place, place + 1);
        if (item && nameOf(item, name, place) === id) return place;
      }
      return items.find(id);
    },
  };
}

/** `POST /v1/responses/<id>/cancel`: cancels a background response in whichever process runs it. */
export function cancel(services: StoredServices, announce: (key: string) => void): ResourceEndpoint {
  return {
    format: responsesFormat.format,
    renderError: responsesFormat.renderError,
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    pattern: /^\/v1\/responses\/[^/]+\/cancel$/,
    async answer(request, sink, signal) {
      const { token, url } = request;
      const id = parseCancellation(url);
      const store = clientStore(services, request, sink, signal);
      // What was begun is ended, also if the client leaves.
      const ending = services.store.through(unheldReads(services.places, token.id));
      sendText(sink, await cancelResponse({ store, ending }, token.project, id, announce));
    },
  };
}

async function cancelResponse(
  { store, ending }: { store: Store; ending: Store },
  project: string,
  id: string,
  announce: (key: string) => void,
): Promise<string> {
  for (;;) {
    const turn = await store.get(project, id);
    if (!turn) throw (await store.lastEvents(project, id)) ? notInBackground(id) : unknownResponse(id);
    const { background } = turn.meta;
    if (!background) throw notInBackground(id);
    if (isOver(turn)) return turn.response;
    const response = withStatus(turn.response, 'cancelled');
    const meta = { ...turn.meta, background: { ...background, request: '' } };
    try {
      await store.put(project, { ...turn, meta, response }, turn.revision);
    } catch (error) {
      if (error instanceof RevisionConflictError) continue;
      throw error;
    }
    announce(keyOf(project, id));
    if (turn.meta.stream) await endEvents(ending, project, id, response);
    return response;
  }
}

/** Ends the event log, so that the process that runs the response can add no more events. */
async function endEvents(store: Store, project: string, id: string, response: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const { last, rewriter } = await readEvents(store, project, id);
    if (!last || last.end) return;
    const writer = store.writer(project, id, { after: last });
    writer.add(lastEvents(response, rewriter.next), true);
    await writer.flush();
    if (writer.broken === undefined) return;
  }
}

/** Parses the response id in the URL. */
function parseCancellation(url: string): string {
  return idOf(url.replace(/\?.*$/s, ''));
}

function notInBackground(id: string) {
  const message = `Response '${id}' cannot be cancelled: only responses created with 'background' can.`;
  return invalid('response_id', message, 'invalid_value');
}
