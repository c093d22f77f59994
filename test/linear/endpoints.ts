import {
  batchEmbedRequest,
  chatTranslatable,
  completionRequest,
  embedContentRequest,
  embeddingsRequest,
  generateContentTranslatable,
  imageEditRequest,
  imageGenerationRequest,
  messagesCustomTool,
  messagesDocumentBlock,
  messagesImageBlock,
  messagesOutputConfig,
  messagesRedactedBlock,
  messagesRequest,
  messagesTextBlock,
  messagesThinkingBlock,
  messagesToolChoice,
  messagesToolResultBlock,
  messagesToolUseBlock,
  messagesWebSearchTool,
  moderationsRequest,
  rerankRequest,
  responsesTranslatable,
  speechRequest,
} from '@model-gateway/formats';
import type { Endpoint } from '@model-gateway/ingress';
import { z } from 'zod';
import { chatCompletions } from '../../shared/formats/src/chat/endpoint.ts';
import { completions } from '../../shared/formats/src/completions/endpoint.ts';
import { batchEmbedContents, embedContent } from '../../shared/formats/src/embed-content.ts';
import { embeddings } from '../../shared/formats/src/embeddings.ts';
import { generateContent } from '../../shared/formats/src/generate-content/endpoint.ts';
import { edits, generations } from '../../shared/formats/src/images/endpoint.ts';
import { messages } from '../../shared/formats/src/messages/endpoint.ts';
import { moderations } from '../../shared/formats/src/moderations.ts';
import { rerank } from '../../shared/formats/src/rerank.ts';
import { parse as parseResponses } from '../../shared/formats/src/responses/parse.ts';
import { rendererOf } from '../../shared/formats/src/responses/render.ts';
import { speech } from '../../shared/formats/src/speech.ts';

/** A request's JSON. */
export type Body = Record<string, unknown>;

/** An endpoint whose requests grow. */
export interface Growable {
  endpoint: Pick<Endpoint, 'parse' | 'render' | 'format'>;
  /** The schema of its requests, as far as translators read them. */
  schema: z.ZodType;
  /** The fields of a small valid request. */
  base: Body;
  /** The field with the conversation. */
  conversation?: string;
  url?: string;
}

const typed = (type: string, { shape }: { shape: z.core.$ZodShape }) =>
  z.looseObject({ ...shape, type: z.literal(type) });

/** The messages format checks each block and tool by itself, by its type. */
const messagesTranslatable = messagesRequest.extend({
  messages: z.array(
    z.looseObject({
      role: z.enum(['user', 'assistant', 'system']),
      content: z.array(
        z.union([
          typed('text', messagesTextBlock),
          typed('image', messagesImageBlock),
          typed('document', messagesDocumentBlock),
          typed('tool_use', messagesToolUseBlock),
          typed('tool_result', messagesToolResultBlock),
          typed('thinking', messagesThinkingBlock),
          typed('redacted_thinking', messagesRedactedBlock),
          z.looseObject({ type: z.literal('search_result') }),
        ]),
      ),
    }),
  ),
  system: z.array(typed('text', messagesTextBlock)).nullish(),
  tools: z
    .array(z.union([messagesCustomTool, typed('web_search_20250305', messagesWebSearchTool)]))
    .nullish(),
  tool_choice: messagesToolChoice.nullish(),
  output_config: messagesOutputConfig.nullish(),
});

const model = 'm';
const said = { role: 'user', content: 'Hi' };
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const google = '/v1beta/models/m:generateContent';

const responses: Growable['endpoint'] = { format: 'responses', parse: parseResponses, render: rendererOf };

/** The endpoints that generate, by their formats. */
export const generating = {
  chat: {
    endpoint: chatCompletions,
    schema: chatTranslatable,
    base: { model, messages: [said] },
    conversation: 'messages',
  },
  messages: {
    endpoint: messages,
    schema: messagesTranslatable,
    base: { model, max_tokens: 9, messages: [said] },
    conversation: 'messages',
  },
  responses: {
    endpoint: responses,
    schema: responsesTranslatable,
    base: { model, store: false, input: 'Hi' },
    conversation: 'input',
  },
  'generate-content': {
    endpoint: generateContent,
    schema: generateContentTranslatable,
    base: { contents },
    conversation: 'contents',
    url: google,
  },
  completions: {
    endpoint: completions,
    schema: completionRequest,
    base: { model, prompt: 'Hi' },
  },
} satisfies Record<string, Growable>;

/** The other endpoints with JSON bodies. */
export const others = {
  embeddings: { endpoint: embeddings, schema: embeddingsRequest, base: { model, input: 'Hi' } },
  'embed-content': {
    endpoint: embedContent,
    schema: embedContentRequest,
    base: { content: contents[0] },
    url: '/v1beta/models/m:embedContent',
  },
  'batch-embed-contents': {
    endpoint: batchEmbedContents,
    schema: batchEmbedRequest,
    base: { requests: [{ model: 'models/m', content: contents[0] }] },
    url: '/v1beta/models/m:batchEmbedContents',
  },
  rerank: { endpoint: rerank, schema: rerankRequest, base: { model, query: 'q', documents: ['a'] } },
  moderations: { endpoint: moderations, schema: moderationsRequest, base: { input: 'Hi' } },
  edits: {
    endpoint: edits,
    schema: imageEditRequest,
    base: { model, prompt: 'Hi', images: [{ image_url: 'data:image/png;base64,iVBORw0KGgo=' }] },
  },
  images: { endpoint: generations, schema: imageGenerationRequest, base: { model, prompt: 'Hi' } },
  speech: { endpoint: speech, schema: speechRequest, base: { model, input: 'Hi', voice: 'alloy' } },
} satisfies Record<string, Growable>;

/** The growable of each path with a JSON body. Endpoints that count or compact read the body of the one that generates. */
export const ofPath: Record<string, Growable> = {
  '/v1/chat/completions': generating.chat,
  '/v1/completions': generating.completions,
  '/v1/messages': generating.messages,
  '/v1/messages/count_tokens': generating.messages,
  '/v1/responses': generating.responses,
  '/v1/responses/input_tokens': generating.responses,
  '/v1/responses/compact': generating.responses,
  '/v1beta/models/{model}:generateContent': generating['generate-content'],
  '/v1beta/models/{model}:streamGenerateContent': generating['generate-content'],
  '/v1beta/models/{model}:countTokens': generating['generate-content'],
  '/v1beta/models/{model}:embedContent': others['embed-content'],
  '/v1beta/models/{model}:batchEmbedContents': others['batch-embed-contents'],
  '/v1/embeddings': others.embeddings,
  '/v1/rerank': others.rerank,
  '/v2/rerank': others.rerank,
  '/rerank': others.rerank,
  '/v1/moderations': others.moderations,
  '/v1/images/generations': others.images,
  '/v1/images/edits': others.edits,
  '/v1/audio/speech': others.speech,
};

/** Returns the parsed request of a body, as an ingress reads it. */
export function read({ endpoint, url = '/' }: Growable, body: Body): ReturnType<Endpoint['parse']> {
  return endpoint.parse(body, {}, Buffer.from(JSON.stringify(body)), url);
}
