import { Overtaken } from '@model-gateway/bus';
import type { KeptEndpoint } from '@model-gateway/ingress';
import { withStatus } from '../background/render.ts';
import { responsesFormat } from '../format.ts';
import { sendText } from '../retrieve/endpoint.ts';
import { unknownResponse } from '../retrieve/render.ts';
import { keyOf } from '../stored/key.ts';
import { lastEvents } from '../stored/last-events.ts';
import { Rewriter } from '../stored/rewriter.ts';
import type { Store } from '../stored/store.ts';
import { isOver } from '../stored/turn.ts';
import { parseCancellation } from './parse.ts';
import { notInBackground } from './render.ts';

/** `POST /v1/responses/<id>/cancel`: ends a response in the background, whichever process runs it. */
export function cancel(store: Store, announce: (key: string) => void): KeptEndpoint {
  return {
    renderError: responsesFormat.renderError,
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    pattern: /^\/v1\/responses\/[^/]+\/cancel$/,
    async answer({ token: { project }, url }, outlet) {
      const id = parseCancellation(url);
      sendText(outlet, await cancelResponse(store, project, id, announce));
    },
  };
}

async function cancelResponse(
  store: Store,
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
      if (error instanceof Overtaken) continue;
      throw error;
    }
    announce(keyOf(project, id));
    if (turn.meta.stream) await endEvents(store, project, id, response);
    return response;
  }
}

/** Whoever writes the events comes too late from here on. */
async function endEvents(store: Store, project: string, id: string, response: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const pieces = await store.events(project, id);
    const last = pieces.at(-1);
    if (!last || last.end) return;
    const rewriter = new Rewriter(new Map());
    for (const { bytes } of pieces) rewriter.push(bytes);
    const writer = store.writer(project, id, { after: last.at });
    writer.add(lastEvents(response, rewriter.next), true);
    await writer.flush();
    if (writer.broken === undefined) return;
  }
}
