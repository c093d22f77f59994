import type {
  EmbedRequest,
  GenerateFormat,
  ImageRequest,
  Operation,
  OperationRequest,
  RerankRequest,
  WireFormat,
} from '@model-gateway/canonical';
import { chatDialect } from './chat/dialect.ts';
import { cohereEmbedDialect } from './cohere-embed/dialect.ts';
import { completionsDialect } from './completions/dialect.ts';
import type { Dialect } from './dialect.ts';
import { embedContentDialect } from './embed-content/dialect.ts';
import { embeddingsDialect } from './embeddings/dialect.ts';
import { generateContentDialect } from './generate-content/dialect.ts';
import { generateContentImageDialect } from './generate-content/image-dialect.ts';
import { imagesDialect } from './images/dialect.ts';
import { messagesDialect } from './messages/dialect.ts';
import { cohereRerankDialect, jinaRerankDialect, teiRerankDialect } from './rerank/dialect.ts';
import { responsesDialect } from './responses/dialect.ts';
import { speechDialect } from './speech/dialect.ts';
import { transcriptionsDialect } from './transcriptions/dialect.ts';

type Dialects<R extends OperationRequest> = Partial<Record<WireFormat, Dialect<R>>>;

const generate: Record<GenerateFormat, Dialect> = {
  chat: chatDialect,
  messages: messagesDialect,
  'generate-content': generateContentDialect,
  responses: responsesDialect,
  completions: completionsDialect,
};
const embed: Dialects<EmbedRequest> = {
  embeddings: embeddingsDialect,
  'embed-content': embedContentDialect,
  'cohere-embed': cohereEmbedDialect,
};
const rerank: Dialects<RerankRequest> = {
  'cohere-rerank': cohereRerankDialect,
  'jina-rerank': jinaRerankDialect,
  'tei-rerank': teiRerankDialect,
};
const image: Dialects<ImageRequest> = {
  images: imagesDialect,
  'generate-content': generateContentImageDialect,
};
const speech: Dialects<never> = { speech: speechDialect };
const transcribe: Dialects<never> = { transcriptions: transcriptionsDialect };

/** The dialect of each upstream format, by operation. */
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

/** Returns the dialect for an operation and an upstream format; undefined if the format does not support it. */
export function findDialect(operation: Operation, format: WireFormat): Dialect<OperationRequest> | undefined {
  return dialects[operation][format];
}
export type { Dialect } from './dialect.ts';
