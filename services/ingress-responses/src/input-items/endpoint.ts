import type { KeptEndpoint } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import { bare } from '../ids.ts';
import { sendText } from '../retrieve/endpoint.ts';
import { unknownResponse } from '../retrieve/render.ts';
import { named, readItems } from '../stored/item.ts';
import type { Store } from '../stored/store.ts';
import { parsePage } from './parse.ts';
import { renderPage } from './render.ts';

/** `GET /v1/responses/<id>/input_items`: what came with the request of a response that is kept. */
export function inputItems(store: Store): KeptEndpoint {
  return {
    renderError: responsesFormat.renderError,
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    pattern: /^\/v1\/responses\/[^/]+\/input_items$/,
    async answer({ token, url }, outlet) {
      const page = parsePage(url);
      const turn = await store.get(token.project, page.id);
      if (!turn || turn.meta.lost) throw unknownResponse(page.id);
      sendText(outlet, renderPage(named(readItems(turn.input), bare(page.id)), page));
    },
  };
}
