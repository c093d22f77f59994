import { type ResourceEndpoint, sendJson } from '@model-gateway/ingress';
import { responsesFormat } from '../format/format.ts';
import { keyOf } from '../store/items.ts';
import type { Store } from '../store/store.ts';
import { parseLookup } from './parse-lookup.ts';
import { unknownResponse } from './render-events.ts';

/** `DELETE /v1/responses/<id>`; one that runs in the background is given up. */
export function remove(store: Store, announce: (key: string) => void): ResourceEndpoint {
  return {
    renderError: responsesFormat.renderError,
    method: 'DELETE',
    path: '/v1/responses/{id}',
    pattern: /^\/v1\/responses\/[^/]+$/,
    async answer({ token, url }, outlet) {
      const id = parseRemoval(url);
      if (!(await store.remove(token.project, id))) throw unknownResponse(id);
      announce(keyOf(token.project, id));
      sendJson(outlet, 200, renderRemoval(id));
    },
  };
}

/** The id of the response that is to be forgotten. */
export function parseRemoval(url: string): string {
  return parseLookup(url.replace(/\?.*$/s, '')).id;
}

export function renderRemoval(id: string) {
  return { id, object: 'response', deleted: true };
}
