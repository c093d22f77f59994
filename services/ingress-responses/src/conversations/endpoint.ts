import { randomBytes } from 'node:crypto';
import { type KeptEndpoint, sendJson } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import { parsePage } from '../input-items/parse.ts';
import { renderItem, renderPage } from '../input-items/render.ts';
import { sendText } from '../retrieve/endpoint.ts';
import { addEntry, readConversation, unknownConversation } from '../stored/conversations.ts';
import type { Store } from '../stored/store.ts';
import { parseConversation, parsePlace } from './parse.ts';
import { renderConversation, renderDeleted } from './render.ts';

const { renderError } = responsesFormat;
const one = { renderError, path: '/v1/conversations/{id}', pattern: /^\/v1\/conversations\/[^/]+$/ };
const items = {
  renderError,
  path: '/v1/conversations/{id}/items',
  pattern: /^\/v1\/conversations\/[^/]+\/items$/,
};

/** `/v1/conversations`: turns that are joined by a name of their own. */
export function conversations(store: Store): KeptEndpoint[] {
  const add = (project: string, id: string, input: string) =>
    addEntry(store, project, id, { input, response: '{"output":[]}' });
  return [
    {
      renderError,
      method: 'POST',
      path: '/v1/conversations',
      async answer({ token: { project }, body }, outlet) {
        const given = parseConversation(await body());
        const conversation = {
          id: `conv_${randomBytes(16).toString('hex')}`,
          created_at: Math.floor(Date.now() / 1_000),
          metadata: given.metadata ?? {},
          last: null,
        };
        await store.putConversation(project, conversation, 0);
        if (given.items !== '') await add(project, conversation.id, given.items);
        sendJson(outlet, 200, renderConversation(conversation));
      },
    },
    {
      ...one,
      method: 'GET',
      async answer({ token: { project }, url }, outlet) {
        const { id } = parsePlace(url);
        const found = await store.getConversation(project, id);
        if (!found) throw unknownConversation(id);
        sendJson(outlet, 200, renderConversation(found.conversation));
      },
    },
    {
      ...one,
      method: 'POST',
      async answer({ token: { project }, url, body }, outlet) {
        const { id } = parsePlace(url);
        const { metadata } = parseConversation(await body());
        const found = await store.getConversation(project, id);
        if (!found) throw unknownConversation(id);
        const changed = { ...found.conversation, ...(metadata && { metadata }) };
        await store.putConversation(project, changed, found.revision);
        sendJson(outlet, 200, renderConversation(changed));
      },
    },
    {
      ...one,
      method: 'DELETE',
      async answer({ token: { project }, url }, outlet) {
        const { id } = parsePlace(url);
        if (!(await store.getConversation(project, id))) throw unknownConversation(id);
        await store.remove(project, id);
        sendJson(outlet, 200, renderDeleted(id));
      },
    },
    {
      ...items,
      method: 'GET',
      async answer({ token: { project }, url }, outlet) {
        const { id } = parsePlace(url);
        const { history } = await readConversation(store, project, id);
        sendText(outlet, renderPage(`[${history?.items ?? ''}]`, { ...parsePage(url), id }));
      },
    },
    {
      ...items,
      method: 'POST',
      async answer({ token: { project }, url, body }, outlet) {
        const { id } = parsePlace(url);
        const before = (await readConversation(store, project, id)).history?.items ?? '';
        const { items: added } = parseConversation(await body());
        if (added !== '') await add(project, id, added);
        const first = (JSON.parse(`[${before}]`) as unknown[]).length;
        sendText(outlet, renderPage(`[${added}]`, { id, limit: 1_000, order: 'asc', first }));
      },
    },
    {
      renderError,
      method: 'GET',
      path: '/v1/conversations/{id}/items/{item}',
      pattern: /^\/v1\/conversations\/[^/]+\/items\/[^/]+$/,
      async answer({ token: { project }, url }, outlet) {
        const { id, item } = parsePlace(url);
        const { history } = await readConversation(store, project, id);
        sendText(outlet, renderItem(`[${history?.items ?? ''}]`, id, item));
      },
    },
  ];
}
