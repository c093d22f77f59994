import type { GatewayError } from '@model-gateway/canonical';
import type { Catalog, ModelRecord } from '@model-gateway/catalog';
import type {
  ChatModel,
  ChatModelList,
  GenerateContentModel,
  GenerateContentModelList,
  MessagesModel,
  MessagesModelList,
} from '@model-gateway/formats';
import {
  type RenderedError,
  renderChatError,
  renderGenerateContentError,
  renderMessagesError,
} from '@model-gateway/formats/client';
import { methodsOf } from './methods.ts';
import { generateContentPage, messagesPage, pageOf } from './parse.ts';
import type { ModelsRequest, Shape } from './shape.ts';

type ModelFacts = Pick<ModelRecord, 'name' | 'created' | 'targets' | 'limits'>;
type Providers = Pick<Catalog, 'provider'>;

/** Renders models in one format. */
interface ModelsRenderer {
  /** Renders a model under the requested name, which may be one of many that a pattern matches. */
  model(id: string, model: ModelFacts, providers: Providers): unknown;
  /** Renders a page of models. @throws GatewayError for an invalid page */
  list(models: readonly ModelFacts[], query: URLSearchParams, providers: Providers): unknown;
  error(error: GatewayError, requestId: string, request: ModelsRequest): RenderedError;
}

export const renderers: Record<Shape, ModelsRenderer> = {
  chat: { model: chatModel, list: chatList, error: renderChatError },
  messages: { model: messagesModel, list: messagesList, error: renderMessagesError },
  google: {
    model: generateContentModel,
    list: generateContentList,
    error: (error, _requestId, { byKey }) => renderGenerateContentError(error, byKey),
  },
};

function chatModel(id: string, { created, targets }: ModelFacts): ChatModel {
  return { id, object: 'model', created, owned_by: targets[0]?.provider ?? 'gateway' };
}

function chatList(models: readonly ModelFacts[]): ChatModelList {
  return { object: 'list', data: models.map(model => chatModel(model.name, model)) };
}

function messagesModel(id: string, { created, limits }: ModelFacts): MessagesModel {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: new Date(created * 1000).toISOString().replace('.000Z', 'Z'),
    max_input_tokens: limits.context ?? null,
    max_tokens: limits.maxOutput ?? null,
    lifecycle: 'active',
    capabilities: null,
    line: null,
    deprecated_at: null,
    retires_at: null,
  };
}

function messagesList(models: readonly ModelFacts[], query: URLSearchParams): MessagesModelList {
  const { items, more } = pageOf(models, messagesPage(query));
  return {
    data: items.map(model => messagesModel(model.name, model)),
    has_more: more,
    first_id: items[0]?.name ?? null,
    last_id: items.at(-1)?.name ?? null,
  };
}

function generateContentModel(
  id: string,
  { limits, targets }: ModelFacts,
  providers: Providers,
): GenerateContentModel {
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: '001',
    displayName: id,
    ...(limits.context && { inputTokenLimit: limits.context }),
    ...(limits.maxOutput && { outputTokenLimit: limits.maxOutput }),
    supportedGenerationMethods: methodsOf(id, targets, providers),
  };
}

function generateContentList(
  models: readonly ModelFacts[],
  query: URLSearchParams,
  providers: Providers,
): GenerateContentModelList {
  const { items, more } = pageOf(models, generateContentPage(query));
  const last = items.at(-1);
  return {
    models: items.map(model => generateContentModel(model.name, model, providers)),
    ...(more && last && { nextPageToken: Buffer.from(last.name).toString('base64url') }),
  };
}
