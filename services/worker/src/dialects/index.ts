import type {
  EmbedRequest,
  GenerateFormat,
  ImageRequest,
  Operation,
  OperationRequest,
  RerankRequest,
  WireFormat,
} from '@model-gateway/canonical';
import { openaiChat } from './chat/dialect.ts';
import { cohereEmbed } from './cohere-embed/dialect.ts';
import { openaiCompletions } from './completions/dialect.ts';
import type { Dialect } from './dialect.ts';
import { geminiEmbed } from './embed-content/dialect.ts';
import { openaiEmbeddings } from './embeddings/dialect.ts';
import { geminiGenerate } from './generate-content/dialect.ts';
import { geminiImage } from './generate-content/image-dialect.ts';
import { openaiImages } from './images/dialect.ts';
import { anthropicMessages } from './messages/dialect.ts';
import { cohereRerank, jinaRerank, teiRerank } from './rerank/dialect.ts';
import { openaiResponses } from './responses/dialect.ts';
import { openaiSpeech } from './speech/dialect.ts';
import { openaiTranscriptions } from './transcriptions/dialect.ts';

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
