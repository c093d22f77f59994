import { randomBytes } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import { type ResourceEndpoint, type ResourceRequest, sendJson } from '@model-gateway/ingress';
import { responsesFormat } from '../format/format.ts';
import {
  addItems,
  readConversation,
  removeItem,
  setMetadata,
  unknownConversation,
} from '../store/conversations.ts';
import { readItems } from '../store/items.ts';
import type { ResponseServices } from '../store/response-services.ts';
import type { Conversation } from '../store/store.ts';
import { parsePage, renderItem, renderPage } from './input-items.ts';
import { parseChange, parseItems, parseNew, parsePlace } from './parse-conversation.ts';
import { sendText } from './retrieve.ts';

const { format, renderError } = responsesFormat;
const conversationPath = {
  format,
  renderError,
  path: '/v1/conversations/{id}',
  pattern: /^\/v1\/conversations\/[^/]+$/,
};
const itemsPath = {
  format,
  renderError,
  path: '/v1/conversations/{id}/items',
  pattern: /^\/v1\/conversations\/[^/]+\/items$/,
};
const item = {
  format,
  renderError,
  path: '/v1/conversations/{id}/items/{item}',
  pattern: /^\/v1\/conversations\/[^/]+\/items\/[^/]+$/,
};

type Answer = ResourceEndpoint['answer'];

/** `/v1/conversations`: sequences of turns with an id. */
export function conversations(services: Pick<ResponseServices, 'store' | 'keeps'>): ResourceEndpoint[] {
  return [
    { format, renderError, path: '/v1/conversations', method: 'POST', answer: create(services) },
    ...conversationEndpoints(services),
    ...itemEndpoints(services),
  ];
}

function create({ store, keeps }: Pick<ResponseServices, 'store' | 'keeps'>): Answer {
  return async ({ token: { project }, body }, sink) => {
    if (!keeps(project))
      throw new GatewayError('forbidden', 'Response storage is disabled for this project.');
    const { items, metadata } = await parseNew(await body());
    const conversation = {
      id: `conv_${randomBytes(16).toString('hex')}`,
      created_at: Math.floor(store.clock.now() / 1_000),
      metadata,
      last: null,
    };
    await store.putConversation(project, conversation, 0);
    if (items !== '') await addItems(store, project, conversation.id, items);
    sendJson(sink, 200, renderConversation(conversation));
  };
}

function conversationEndpoints({ store }: Pick<ResponseServices, 'store'>): ResourceEndpoint[] {
  const found = async ({ token: { project }, url }: ResourceRequest) => {
    const { id } = parsePlace(url);
    const found = await store.getConversation(project, id);
    if (!found) throw unknownConversation(id);
    return found.conversation;
  };
  return [
    {
      ...conversationPath,
      method: 'GET',
      async answer(request, sink) {
        sendJson(sink, 200, renderConversation(await found(request)));
      },
    },
    {
      ...conversationPath,
      method: 'POST',
      async answer({ token: { project }, url, body }, sink) {
        const { id } = parsePlace(url);
        await store.checkShare(project);
        const changed = await setMetadata(store, project, id, await parseChange(await body()));
        sendJson(sink, 200, renderConversation(changed));
      },
    },
    {
      ...conversationPath,
      method: 'DELETE',
      async answer(request, sink) {
        const { id } = await found(request);
        await store.removeConversation(request.token.project, id);
        sendJson(sink, 200, renderDeleted(id));
      },
    },
  ];
}

function itemEndpoints({ store }: Pick<ResponseServices, 'store'>): ResourceEndpoint[] {
  const listed = async ({ token: { project }, url }: ResourceRequest) => {
    const { history } = await readConversation(store, project, parsePlace(url).id);
    return readItems(history?.items ?? '');
  };
  return [
    {
      ...itemsPath,
      method: 'GET',
      async answer(request, sink) {
        const page = parsePage(request.url);
        sendText(sink, renderPage(await listed(request), page));
      },
    },
    {
      ...itemsPath,
      method: 'POST',
      async answer({ token: { project }, url, body }, sink) {
        const items = await parseItems(await body());
        await store.checkShare(project);
        const added = readItems(await addItems(store, project, parsePlace(url).id, items));
        sendText(sink, renderPage(added, { limit: added.length, order: 'asc' }));
      },
    },
    {
      ...item,
      method: 'GET',
      async answer(request, sink) {
        sendText(sink, renderItem(await listed(request), parsePlace(request.url).item));
      },
    },
    {
      ...item,
      method: 'DELETE',
      async answer({ token: { project }, url }, sink) {
        const { id, item } = parsePlace(url);
        // The remaining items are stored again, which takes room. Only deleting the conversation frees any.
        await store.checkShare(project);
        sendJson(sink, 200, renderConversation(await removeItem(store, project, id, item)));
      },
    },
  ];
}

function renderConversation({ id, created_at, metadata }: Conversation) {
  return { id, object: 'conversation', created_at, metadata };
}

function renderDeleted(id: string) {
  return { id, object: 'conversation.deleted', deleted: true };
}
