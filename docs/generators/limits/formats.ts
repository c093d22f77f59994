import type { GatewayError } from '@model-gateway/canonical';
import {
  batchEmbedRequest,
  chatRequest,
  completionRequest,
  embedContentRequest,
  embeddingsRequest,
  generateContentGenerationConfig,
  generateContentRequest,
  generateContentThinkingConfig,
  imageEditForm,
  imageEditRequest,
  imageGenerationRequest,
  imageVariationForm,
  messagesRequest,
  moderationsRequest,
  rerankRequest,
  responsesRequest,
  speechRequest,
  transcriptionRequest,
  translationRequest,
} from '@model-gateway/formats';
import {
  invalidRequest,
  type RenderedError,
  renderChatError,
  renderGenerateContentError,
  renderMessagesError,
} from '@model-gateway/formats/client';
import type { z } from 'zod';
import { check as checkGenerateContent } from '../../../shared/formats/src/generate-content/format.ts';
import { check as checkMessages } from '../../../shared/formats/src/messages/parse-content.ts';

type Body = Record<string, unknown>;

/** A request of one path, with its fields that have ranges. */
export interface RequestFields {
  path: string;
  shape: Record<string, z.core.$ZodType>;
  /** The last item of lists whose items are not texts. */
  items?: Record<string, unknown>;
  /** A valid request except for some fields. */
  with(fields: Body): Body;
  /** Checks a request as its endpoint does. @throws GatewayError */
  check(body: Body): unknown;
  /** An error as clients of this path read it. */
  render(error: GatewayError): RenderedError;
}

type Shaped = z.ZodType & { shape: Record<string, z.core.$ZodType> };
type Asked = Partial<Omit<RequestFields, 'path' | 'with'>> & { wrap?: (fields: Body) => Body };

function request(path: string, schema: Shaped, good: Body, asked: Asked = {}): RequestFields {
  const { wrap = fields => fields, ...rest } = asked;
  return {
    path,
    shape: schema.shape,
    with: fields => ({ ...good, ...wrap(fields) }),
    check: body => {
      const { error } = schema.safeParse(body);
      if (error) throw invalidRequest(error, body);
    },
    render: renderChatError,
    ...rest,
  };
}

const messages: Asked = {
  check: body => checkMessages(messagesRequest, body),
  render: error => renderMessagesError(error, ''),
};
const google = (schema: z.ZodType): Asked => ({
  check: body => checkGenerateContent(schema, body),
  render: error => renderGenerateContentError(error, false),
});

const model = 'm';
const parts = [{ text: 'Hi' }];
const contents = [{ parts }];
const prompted = { model, prompt: 'Hi' };
const heard = { model };

/** Every path whose requests have fields with ranges. */
export const requestFields: readonly RequestFields[] = [
  request('/v1/chat/completions', chatRequest, { model, messages: [{ role: 'user', content: 'Hi' }] }),
  request('/v1/completions', completionRequest, prompted),
  request('/v1/responses', responsesRequest, { model, input: 'Hi' }),
  request(
    '/v1/messages',
    messagesRequest,
    { model, max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
    messages,
  ),
  request(
    ':generateContent',
    generateContentGenerationConfig,
    { contents },
    { ...google(generateContentRequest), wrap: generationConfig => ({ generationConfig }) },
  ),
  request(
    ':generateContent',
    generateContentThinkingConfig,
    { contents },
    { ...google(generateContentRequest), wrap: thinkingConfig => ({ generationConfig: { thinkingConfig } }) },
  ),
  request('/v1/embeddings', embeddingsRequest, { model, input: 'Hi' }),
  request(':embedContent', embedContentRequest, { content: { parts } }, google(embedContentRequest)),
  request(
    ':batchEmbedContents',
    batchEmbedRequest,
    {},
    { ...google(batchEmbedRequest), items: { requests: { content: { parts } } } },
  ),
  request('/v1/moderations', moderationsRequest, { model, input: 'Hi' }),
  request('/v1/rerank', rerankRequest, { model, query: 'Hi', documents: ['a'] }),
  request('/v1/images/generations', imageGenerationRequest, prompted),
  request(
    '/v1/images/edits',
    imageEditRequest,
    { ...prompted, images: [{ file_id: 'a' }] },
    { items: { images: { file_id: 'a' } } },
  ),
  request('/v1/images/edits', imageEditForm, prompted),
  request('/v1/images/variations', imageVariationForm, heard),
  request('/v1/audio/speech', speechRequest, { model, input: 'Hi', voice: 'alloy' }),
  request('/v1/audio/transcriptions', transcriptionRequest, heard),
  request('/v1/audio/translations', translationRequest, heard),
];
