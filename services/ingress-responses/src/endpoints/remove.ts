import { responsesFormat } from '@model-gateway/formats/responses';
import { type ResourceEndpoint, sendJson } from '@model-gateway/ingress';
import { clientStore, type StoredServices } from '../store/client-store.ts';
import { keyOf } from '../store/keys.ts';
import { parseLookup } from './parse-lookup.ts';
import { unknownResponse } from './render-events.ts';

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
