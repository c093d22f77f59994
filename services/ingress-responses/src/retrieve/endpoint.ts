import type { KeptEndpoint, Outlet } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { responsesFormat } from '../format.ts';
import { settleLost } from '../stored/lost.ts';
import type { Store } from '../stored/store.ts';
import { parseLookup } from './parse.ts';
import { EventsAfter, renderBegun, unknownResponse, unstreamed } from './render.ts';

/** How long a stream may be silent before its reader is shown that it lives. */
const pingMs = 10_000;

/** `GET /v1/responses/<id>`: a response that is kept, or its events. */
export function retrieve(store: Store): KeptEndpoint {
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
export async function readResponse(store: Store, project: string, id: string): Promise<string> {
  const turn = await store.get(project, id);
  if (turn) return turn.response;
  await settleLost(store, project, id);
  const settled = await store.get(project, id);
  if (settled) return settled.response;
  const begun = renderBegun(await store.events(project, id));
  if (!begun) throw unknownResponse(id);
  return begun;
}

export function sendText(outlet: Outlet, text: string): void {
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
  outlet: Outlet,
  signal: AbortSignal,
): Promise<void> {
  if (!(await store.lastEvents(project, id))) {
    throw (await store.get(project, id)) ? unstreamed(id) : unknownResponse(id);
  }
  outlet.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  const events = new EventsAfter(after);
  let wroteAt = Date.now();
  let taken: PromiseWithResolvers<void> | undefined;
  outlet.on('drain', () => taken?.resolve());
  signal.addEventListener('abort', () => taken?.resolve());
  const write = async (bytes: string) => {
    if (bytes === '' || signal.aborted) return;
    wroteAt = Date.now();
    outlet.write(bytes);
    if (!outlet.writableNeedDrain || signal.aborted) return;
    taken = Promise.withResolvers();
    await taken.promise;
  };
  const idle = async () => {
    if (Date.now() - wroteAt >= pingMs) await write(sseComment('ping'));
    await settleLost(store, project, id);
  };
  for await (const piece of store.follow(project, id, { signal, idle }))
    await write(events.push(piece.bytes));
  if (!signal.aborted) outlet.end(events.end());
}
