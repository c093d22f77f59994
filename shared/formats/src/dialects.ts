import type { GenerateFormat, Operation, WireFormat } from '@model-gateway/canonical';
import { chatDialect } from './chat/dialect.ts';
import { cohereChatDialect } from './cohere-chat/dialect.ts';
import { completionsDialect } from './completions/dialect.ts';
import { converseDialect } from './converse/dialect.ts';
import { embedContentDialect } from './embed-content.ts';
import {
  cohereEmbedDialect,
  jinaEmbedDialect,
  nimEmbedDialect,
  titanEmbedDialect,
  vertexEmbedContentDialect,
  vertexEmbedDialect,
  voyageEmbedDialect,
} from './embed-upstreams.ts';
import { embeddingsDialect } from './embeddings.ts';
import { generateContentDialect, generateContentImageDialect } from './generate-content/dialect.ts';
import { imagesDialect } from './images/dialect.ts';
import { listenDialect } from './listen.ts';
import { messagesDialect } from './messages/dialect.ts';
import { moderationsDialect } from './moderations.ts';
import { cohereRerankDialect, jinaRerankDialect, teiRerankDialect, voyageRerankDialect } from './rerank.ts';
import { responsesDialect } from './responses/dialect.ts';
import { speechDialect } from './speech.ts';
import { textToSpeechDialect } from './text-to-speech.ts';
import { transcriptionsDialect } from './transcriptions/dialect.ts';
import type { Dialect, EncodeInput } from './upstream/dialect.ts';

/** A dialect with the kinds of body that it takes as a value only. */
export type AnyDialect = Dialect<EncodeInput>;
type Dialects = Partial<Record<WireFormat, AnyDialect>>;

const generate: Record<GenerateFormat, Dialect> = {
  chat: chatDialect,
  messages: messagesDialect,
  'generate-content': generateContentDialect,
  responses: responsesDialect,
  completions: completionsDialect,
  converse: converseDialect,
  'cohere-chat': cohereChatDialect,
};
const embed: Dialects = {
  embeddings: embeddingsDialect,
  'embed-content': embedContentDialect,
  'cohere-embed': cohereEmbedDialect,
  'vertex-embed': vertexEmbedDialect,
  'vertex-embed-content': vertexEmbedContentDialect,
  'titan-embed': titanEmbedDialect,
  'voyage-embed': voyageEmbedDialect,
  'jina-embed': jinaEmbedDialect,
  'nim-embed': nimEmbedDialect,
};
const rerank: Dialects = {
  'cohere-rerank': cohereRerankDialect,
  'jina-rerank': jinaRerankDialect,
  'voyage-rerank': voyageRerankDialect,
  'tei-rerank': teiRerankDialect,
};
const moderate: Dialects = { moderations: moderationsDialect };
const image: Dialects = {
  images: imagesDialect,
  'generate-content': generateContentImageDialect,
};
const speech: Dialects = { speech: speechDialect, 'text-to-speech': textToSpeechDialect };
const transcribe: Dialects = { transcriptions: transcriptionsDialect, listen: listenDialect };

/** The dialect of each upstream format, by operation. */
const dialects: Record<Operation, Dialects> = {
  generate,
  'count-tokens': generate,
  embed,
  rerank,
  moderate,
  image,
  speech,
  transcribe,
  realtime: {},
};

/** Returns the dialect of an upstream format for an operation; undefined if there is none that takes the body. */
export function findDialect(
  operation: Operation,
  format: WireFormat,
  body: EncodeInput['body'],
): AnyDialect | undefined {
  const dialect = dialects[operation][format];
  return dialect?.bodies.includes(body) ? dialect : undefined;
}
