import { randomBytes } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import { type ResourceEndpoint, type ResourceRequest, sendJson } from '@model-gateway/ingress';
import { responsesFormat } from '../format/format.ts';
import {
  addItems,
  type Conversation,
  readConversation,
  removeItem,
  setMetadata,
  unknownConversation,
} from '../store/conversations.ts';
import { readItems } from '../store/items.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { parsePage, renderItem, renderPage } from './input-items.ts';
import { parseChange, parseItems, parseNew, parsePlace } from './parse-conversation.ts';
import { sendText } from './retrieve.ts';

const { renderError } = responsesFormat;
const one = { renderError, path: '/v1/conversations/{id}', pattern: /^\/v1\/conversations\/[^/]+$/ };
const all = {
  renderError,
  path: '/v1/conversations/{id}/items',
  pattern: /^\/v1\/conversations\/[^/]+\/items$/,
};
const item = {
  renderError,
  path: '/v1/conversations/{id}/items/{item}',
  pattern: /^\/v1\/conversations\/[^/]+\/items\/[^/]+$/,
};

type Answer = ResourceEndpoint['answer'];

/** `/v1/conversations`: turns that are joined by a name of their own. */
export function conversations(shelf: Pick<ResponseServices, 'store' | 'keeps'>): ResourceEndpoint[] {
  return [
    { renderError, path: '/v1/conversations', method: 'POST', answer: create(shelf) },
    ...ofOne(shelf),
    ...ofItems(shelf),
  ];
}

function create({ store, keeps }: Pick<ResponseServices, 'store' | 'keeps'>): Answer {
  return async ({ token: { project }, body }, outlet) => {
    if (!keeps(project)) throw new GatewayError('forbidden', 'Nothing is kept for this project.');
    const { items, metadata } = await parseNew(await body());
    const conversation = {
      id: `conv_${randomBytes(16).toString('hex')}`,
      created_at: Math.floor(Date.now() / 1_000),
      metadata,
      last: null,
    };
    await store.putConversation(project, conversation, 0);
    if (items !== '') await addItems(store, project, conversation.id, items);
    sendJson(outlet, 200, renderConversation(conversation));
  };
}

function ofOne({ store }: Pick<ResponseServices, 'store'>): ResourceEndpoint[] {
  const found = async ({ token: { project }, url }: ResourceRequest) => {
    const { id } = parsePlace(url);
    const found = await store.getConversation(project, id);
    if (!found) throw unknownConversation(id);
    return found.conversation;
  };
  return [
    {
      ...one,
      method: 'GET',
      async answer(asked, outlet) {
        sendJson(outlet, 200, renderConversation(await found(asked)));
      },
    },
    {
      ...one,
      method: 'POST',
      async answer({ token: { project }, url, body }, outlet) {
        const { id } = parsePlace(url);
        await store.checkShare(project);
        const changed = await setMetadata(store, project, id, await parseChange(await body()));
        sendJson(outlet, 200, renderConversation(changed));
      },
    },
    {
      ...one,
      method: 'DELETE',
      async answer(asked, outlet) {
        const { id } = await found(asked);
        await store.removeConversation(asked.token.project, id);
        sendJson(outlet, 200, renderDeleted(id));
      },
    },
  ];
}

function ofItems({ store }: Pick<ResponseServices, 'store'>): ResourceEndpoint[] {
  const listed = async ({ token: { project }, url }: ResourceRequest) => {
    const { history } = await readConversation(store, project, parsePlace(url).id);
    return readItems(history?.items ?? '');
  };
  return [
    {
      ...all,
      method: 'GET',
      async answer(asked, outlet) {
        const page = parsePage(asked.url);
        sendText(outlet, renderPage(await listed(asked), page));
      },
    },
    {
      ...all,
      method: 'POST',
      async answer({ token: { project }, url, body }, outlet) {
        const items = await parseItems(await body());
        await store.checkShare(project);
        const added = readItems(await addItems(store, project, parsePlace(url).id, items));
        sendText(outlet, renderPage(added, { limit: added.length, order: 'asc' }));
      },
    },
    {
      ...item,
      method: 'GET',
      async answer(asked, outlet) {
        sendText(outlet, renderItem(await listed(asked), parsePlace(asked.url).item));
      },
    },
    {
      ...item,
      method: 'DELETE',
      async answer({ token: { project }, url }, outlet) {
        const { id, item } = parsePlace(url);
        // What is left is written anew: only without the whole conversation there is more room.
        await store.checkShare(project);
        sendJson(outlet, 200, renderConversation(await removeItem(store, project, id, item)));
      },
    },
  ];
}

export function renderConversation({ id, created_at, metadata }: Conversation) {
  return { id, object: 'conversation', created_at, metadata };
}

export function renderDeleted(id: string) {
  return { id, object: 'conversation.deleted', deleted: true };
}
