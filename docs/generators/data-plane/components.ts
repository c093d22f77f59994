import {
  batchEmbedRequest,
  chatMessage,
  completionPrompt,
  completionRequest,
  embedContentRequest,
  generateContentCountRequest,
  generateContentGenerationConfig,
  generateContentRequest,
  generateContentThinkingConfig,
  imageEditRequest,
  imageGenerationRequest,
  messagesAnyBlock,
  messagesCountRequest,
  messagesMessage,
  messagesRequest,
  rerankRequest,
  responsesMetadata,
  responsesRequest,
  speechRequest,
} from '@model-gateway/formats';
import { z } from 'zod';
import { secretRequest } from '../../../services/realtime/src/client-secrets/parse.ts';
import { chatBody, chatCompletion, completion } from './chat.ts';
import { generatedContent } from './generate-content.ts';
import { message } from './messages.ts';
import type { JsonSchema } from './operation.ts';
import { response } from './responses.ts';
import { options, schemaOf } from './schema-of.ts';
import { embeddingsBody, moderationsBody } from './vectors.ts';

/** The schemas that have names in the document. */
const named: Record<string, z.ZodType> = {
  ChatCompletionRequest: chatBody,
  ChatMessage: chatMessage,
  ChatCompletion: chatCompletion,
  CompletionRequest: completionRequest,
  CompletionPrompt: completionPrompt,
  Completion: completion,
  MessagesRequest: messagesRequest,
  MessagesCountRequest: messagesCountRequest,
  MessagesTurn: messagesMessage,
  MessagesBlock: messagesAnyBlock,
  Message: message,
  ResponsesRequest: responsesRequest,
  ResponsesMetadata: responsesMetadata,
  Response: response,
  GenerateContentRequest: generateContentRequest,
  GenerateContentCountRequest: generateContentCountRequest,
  GenerationConfig: generateContentGenerationConfig,
  ThinkingConfig: generateContentThinkingConfig,
  GeneratedContent: generatedContent,
  EmbedContentRequest: embedContentRequest,
  BatchEmbedContentsRequest: batchEmbedRequest,
  EmbeddingsRequest: embeddingsBody,
  RerankRequest: rerankRequest,
  ModerationRequest: moderationsBody,
  ImageGenerationRequest: imageGenerationRequest,
  ImageEditRequest: imageEditRequest,
  SpeechRequest: speechRequest,
  RealtimeSecretRequest: secretRequest,
};

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });

const uri = (id: string) => `#/components/schemas/${id}`;

/** Returns the named schemas, which refer to each other. */
export function namedSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, { ...options, uri });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}

/** Returns a reference to a named schema; another one as it is. */
export function reference(schema: z.ZodType | JsonSchema): JsonSchema {
  if (!(schema instanceof z.ZodType)) return schema;
  const id = registry.get(schema)?.id;
  return id ? { $ref: uri(id) } : schemaOf(schema);
}
