import { invalid, responsesFormat } from '@model-gateway/formats/responses';
import type { ResourceEndpoint } from '@model-gateway/ingress';
import { RevisionConflictError } from '@model-gateway/store';
import { withStatus } from '../background/render-waiting.ts';
import { unheldReads } from '../reads/reads.ts';
import { clientStore, type StoredServices } from '../store/client-store.ts';
import { keyOf } from '../store/keys.ts';
import { readEvents } from '../store/lost.ts';
import { lastEvents } from '../store/rewriter.ts';
import type { Store } from '../store/store.ts';
import { isOver } from '../store/turn.ts';
import { idOf } from './parse-lookup.ts';
import { unknownResponse } from './render-events.ts';
import { sendText } from './retrieve.ts';

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
