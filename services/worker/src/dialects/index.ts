import type {
  EmbedRequest,
  GenerateFormat,
  ImageRequest,
  Operation,
  OperationRequest,
  RerankRequest,
  WireFormat,
} from '@model-gateway/canonical';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { cohereEmbed } from './cohere-embed/dialect.ts';
import { cohereRerank } from './cohere-rerank/dialect.ts';
import type { Dialect } from './dialect.ts';
import { geminiEmbed } from './gemini-embed/dialect.ts';
import { geminiGenerate } from './gemini-generate/dialect.ts';
import { geminiImage } from './gemini-image/dialect.ts';
import { jinaRerank } from './jina-rerank/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiCompletions } from './openai-completions/dialect.ts';
import { openaiEmbeddings } from './openai-embeddings/dialect.ts';
import { openaiImages } from './openai-images/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { openaiSpeech } from './openai-speech/dialect.ts';
import { openaiTranscriptions } from './openai-transcriptions/dialect.ts';
import { teiRerank } from './tei-rerank/dialect.ts';

type Dialects<R extends OperationRequest> = Partial<Record<WireFormat, Dialect<R>>>;

const generate: Record<GenerateFormat, Dialect> = {
  chat: openaiChat,
  messages: anthropicMessages,
  'generate-content': geminiGenerate,
  responses: openaiResponses,
  completions: openaiCompletions,
};
const embed: Dialects<EmbedRequest> = {
  embeddings: openaiEmbeddings,
  'embed-content': geminiEmbed,
  'cohere-embed': cohereEmbed,
};
const rerank: Dialects<RerankRequest> = {
  'cohere-rerank': cohereRerank,
  'jina-rerank': jinaRerank,
  'tei-rerank': teiRerank,
};
const image: Dialects<ImageRequest> = {
  images: openaiImages,
  'generate-content': geminiImage,
};
const speech: Dialects<never> = { speech: openaiSpeech };
const transcribe: Dialects<never> = { transcriptions: openaiTranscriptions };

/** How each format is spoken to an upstream, by what is asked for. */
const dialects: Record<Operation, Partial<Record<WireFormat, Dialect<OperationRequest>>>> = {
  generate,
  'count-tokens': generate,
  embed,
  rerank,
  image,
  speech,
  transcribe,
  realtime: {},
};

/** How an upstream of a format is asked for something; undefined if nobody knows. */
export function findDialect(operation: Operation, format: WireFormat): Dialect<OperationRequest> | undefined {
  return dialects[operation][format];
}
export type { Dialect } from './dialect.ts';
