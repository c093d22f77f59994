import { randomBytes } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import { responsesFormat } from '@model-gateway/formats/responses';
import { type ResourceEndpoint, type ResourceRequest, sendJson } from '@model-gateway/ingress';
import { renderItems, renderPage } from '../items/item-page.ts';
import { listedItem } from '../items/item-text.ts';
import type { Conversation } from '../store/conversation-record.ts';
import {
  addItems,
  conversationItems,
  readConversation,
  removeItem,
  setMetadata,
  unknownItem,
} from '../store/conversations.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { clientStore, type StoredServices } from '../store/response-services.ts';
import type { Store } from '../store/store.ts';
import { parseChange, parseItems, parseNew, parsePlace } from './parse-conversation.ts';
import { parsePage } from './parse-lookup.ts';
import { sendText } from './stored-responses.ts';

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
export function conversations(
  services: StoredServices & Pick<ResponseServices, 'keeps'>,
): ResourceEndpoint[] {
  return [
    { format, renderError, path: '/v1/conversations', method: 'POST', answer: create(services) },
    ...conversationEndpoints(services),
    ...itemEndpoints(services),
  ];
}

function create(services: StoredServices & Pick<ResponseServices, 'keeps'>): Answer {
  return async (request, sink, signal) => {
    const { project } = request.token;
    if (!services.keeps(project))
      throw new GatewayError('forbidden', 'Response storage is disabled for this project.');
    const { items, metadata } = await parseNew(await request.body());
    const store = clientStore(services, request, sink, signal);
    const conversation = {
      id: `conv_${randomBytes(16).toString('hex')}`,
      created_at: Math.floor(store.clock.now() / 1_000),
      metadata,
      entries: [],
      stored: 0,
    };
    await store.putConversation(project, conversation, 0);
    if (items !== '') await addItems(store, project, conversation.id, { items, most: services.bodyBytes });
    sendJson(sink, 200, renderConversation(conversation));
  };
}

function conversationEndpoints(services: StoredServices): ResourceEndpoint[] {
  const found = async (store: Store, { token: { project }, url }: ResourceRequest) =>
    (await readConversation(store, project, parsePlace(url).id)).conversation;
  return [
    {
      ...conversationPath,
      method: 'GET',
      async answer(request, sink, signal) {
        const store = clientStore(services, request, sink, signal);
        sendJson(sink, 200, renderConversation(await found(store, request)));
      },
    },
    {
      ...conversationPath,
      method: 'POST',
      async answer(request, sink, signal) {
        const { token, url, body } = request;
        const { id } = parsePlace(url);
        const store = clientStore(services, request, sink, signal);
        await store.checkShare(token.project);
        const changed = await setMetadata(store, token.project, id, await parseChange(await body()));
        sendJson(sink, 200, renderConversation(changed));
      },
    },
    {
      ...conversationPath,
      method: 'DELETE',
      async answer(request, sink, signal) {
        const store = clientStore(services, request, sink, signal);
        const conversation = await found(store, request);
        await store.removeConversation(request.token.project, conversation);
        sendJson(sink, 200, renderDeleted(conversation.id));
      },
    },
  ];
}

function itemEndpoints(services: StoredServices): ResourceEndpoint[] {
  const listed = (store: Store, { token: { project }, url }: ResourceRequest) =>
    conversationItems(store, project, parsePlace(url).id);
  return [
    {
      ...itemsPath,
      method: 'GET',
      async answer(request, sink, signal) {
        const page = parsePage(request.url);
        const store = clientStore(services, request, sink, signal);
        const items = await listed(store, request);
        sendText(sink, await renderPage(items, page, bytes => store.turn(bytes)));
      },
    },
    {
      ...itemsPath,
      method: 'POST',
      async answer(request, sink, signal) {
        const { token, url, body } = request;
        const items = await parseItems(await body());
        const store = clientStore(services, request, sink, signal);
        await store.checkShare(token.project);
        const place = { items, most: services.bodyBytes };
        const added = await addItems(store, token.project, parsePlace(url).id, place);
        sendText(sink, await renderItems(added, false, bytes => store.turn(bytes)));
      },
    },
    {
      ...item,
      method: 'GET',
      async answer(request, sink, signal) {
        const { item: id } = parsePlace(request.url);
        const items = await listed(clientStore(services, request, sink, signal), request);
        const place = await items.find(id);
        const [found] = place === undefined ? [] : await items.read(place, place + 1);
        if (!found) throw unknownItem(id);
        sendText(sink, listedItem(found));
      },
    },
    {
      ...item,
      method: 'DELETE',
      async answer(request, sink, signal) {
        const { project } = request.token;
        const { id, item } = parsePlace(request.url);
        const store = clientStore(services, request, sink, signal);
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
