import { responsesFormat, withoutPrefix } from '@model-gateway/formats/responses';
import type { ResourceEndpoint } from '@model-gateway/ingress';
import type { ItemList } from '../items/item-list.ts';
import { type ItemSource, renderPage } from '../items/item-page.ts';
import { named, nameOf } from '../items/item-text.ts';
import { clientStore, type StoredServices } from '../store/client-store.ts';
import { parsePage } from './parse-page.ts';
import { unknownResponse } from './render-events.ts';
import { sendText } from './retrieve.ts';

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
