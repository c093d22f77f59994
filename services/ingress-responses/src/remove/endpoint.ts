import { type KeptEndpoint, sendJson } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import { unknownResponse } from '../retrieve/render.ts';
import { keyOf } from '../stored/key.ts';
import type { Store } from '../stored/store.ts';
import { parseRemoval } from './parse.ts';
import { renderRemoval } from './render.ts';

/** `DELETE /v1/responses/<id>`; one that runs in the background is given up. */
export function remove(store: Store, announce: (key: string) => void): KeptEndpoint {
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
