import type { Operation, WireFormat } from '@model-gateway/canonical';
import type { Api, Provider, ProviderKind } from './schema.ts';

type Formats = readonly [WireFormat, ...WireFormat[]];
type Spoken = Partial<Record<Operation, Formats>>;

const openAiMedia = {
  embed: ['embeddings'],
  image: ['images'],
  speech: ['speech'],
  transcribe: ['transcriptions'],
} satisfies Spoken;

/** What each kind speaks where the provider does not say, by what it is asked for. */
const formats: Record<ProviderKind, Spoken> = {
  openai: { generate: ['chat', 'responses'], ...openAiMedia, realtime: ['realtime'] },
  'openai-compatible': {
    generate: ['chat'],
    ...openAiMedia,
    rerank: ['jina-rerank'],
    realtime: ['realtime'],
  },
  ollama: { generate: ['chat'], embed: ['embeddings'] },
  anthropic: { generate: ['messages'] },
  gemini: { generate: ['generate-content'], embed: ['embed-content'], image: ['generate-content'] },
  cohere: { embed: ['cohere-embed'], rerank: ['cohere-rerank'] },
  tei: { embed: ['embeddings'], rerank: ['tei-rerank'] },
};

/** The most inputs of one request, or documents to rank, where a kind has a limit. */
const batches: Record<ProviderKind, Partial<Record<Operation, number>>> = {
  openai: { embed: 2048 },
  'openai-compatible': { embed: 2048 },
  ollama: { embed: 2048 },
  anthropic: {},
  gemini: { embed: 100 },
  cohere: { embed: 96 },
  tei: { embed: 32, rerank: 32 },
};

/** The kinds whose servers take -1 tokens for no limit, as llama.cpp and Ollama do. */
const withoutLimit: ReadonlySet<ProviderKind> = new Set(['openai-compatible', 'ollama']);

type Speaker = Pick<Provider, 'kind' | 'api' | 'batch'>;

/** What a request asks for and in which words, as far as that decides in which words it is passed on. */
export interface Asking {
  operation: Operation;
  format: WireFormat;
  /** How many inputs it has, where there may be too many for one request. */
  inputs?: number | undefined;
}

/** The formats in which a provider is asked for an operation, the usual one first; none if it cannot be. */
export function providerFormats(
  { kind, api }: Pick<Provider, 'kind' | 'api'>,
  operation: Operation,
): readonly WireFormat[] {
  // Tokens are counted by those who generate.
  const asked = operation === 'count-tokens' ? 'generate' : operation;
  if (asked !== 'generate' || api === undefined) return formats[kind][asked] ?? [];
  return typeof api === 'string' ? [api] : (api as [Api, ...Api[]]);
}

/** The format in which a provider is asked what a client says in another, its own if it can be; undefined if in none. */
export function formatFor(provider: Speaker, { operation, format }: Asking): WireFormat | undefined {
  const spoken = providerFormats(provider, operation);
  return spoken.includes(format) ? format : spoken[0];
}

/** The most inputs of one request at a provider. Its own `batch` is for what its kind has a limit for. */
export function batchOf({ kind, batch }: Speaker, operation: Operation): number {
  const limit = batches[kind][operation];
  return limit === undefined ? Number.POSITIVE_INFINITY : (batch ?? limit);
}

/** True if a provider takes -1 for no limit of tokens. */
export function takesNoLimit({ kind }: Pick<Provider, 'kind'>): boolean {
  return withoutLimit.has(kind);
}

/** Whether a provider is sent a request's own text: it speaks the format, and takes all inputs at once. */
export function takesText(provider: Speaker, asking: Asking): boolean {
  const { inputs = 1 } = asking;
  return formatFor(provider, asking) === asking.format && inputs <= batchOf(provider, asking.operation);
}
