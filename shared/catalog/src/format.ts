import type { Operation, WireFormat } from '@model-gateway/canonical';
import type { Api, Provider, ProviderKind } from './schema.ts';

type Formats = readonly [WireFormat, ...WireFormat[]];
type FormatsByOperation = Partial<Record<Operation, Formats>>;

const openAiMedia = {
  embed: ['embeddings'],
  image: ['images'],
  speech: ['speech'],
  transcribe: ['transcriptions'],
} satisfies FormatsByOperation;

/** Formats of each kind by operation, for a provider that does not set them. */
const formats: Record<ProviderKind, FormatsByOperation> = {
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

/** The most inputs of one request, or documents to rank, for kinds with a limit. */
const maxInputs: Record<ProviderKind, Partial<Record<Operation, number>>> = {
  openai: { embed: 2048 },
  'openai-compatible': { embed: 2048 },
  ollama: { embed: 2048 },
  anthropic: {},
  gemini: { embed: 100 },
  cohere: { embed: 96 },
  tei: { embed: 32, rerank: 32 },
};

/** Kinds whose servers accept -1 for no token limit, as llama.cpp and Ollama do. */
const acceptsMinusOne: ReadonlySet<ProviderKind> = new Set(['openai-compatible', 'ollama']);

type Speaker = Pick<Provider, 'kind' | 'api' | 'batch'>;

/** The properties of a request that decide in which format it is forwarded. */
export interface RouteQuery {
  operation: Operation;
  format: WireFormat;
  /** Number of inputs, where there may be too many for one request. */
  inputs?: number | undefined;
}

/**
 * Returns the formats in which a provider serves an operation, the preferred one first; empty if it does not.
 */
export function providerFormats(
  { kind, api }: Pick<Provider, 'kind' | 'api'>,
  operation: Operation,
): readonly WireFormat[] {
  // Tokens are counted in the formats of generate.
  const served = operation === 'count-tokens' ? 'generate' : operation;
  if (served !== 'generate' || api === undefined) return formats[kind][served] ?? [];
  return typeof api === 'string' ? [api] : (api as [Api, ...Api[]]);
}

/**
 * Returns the format of a request to a provider: the client's if it serves that, else its preferred one;
 * undefined if it serves none.
 */
export function formatFor(provider: Speaker, { operation, format }: RouteQuery): WireFormat | undefined {
  const formatsOfProvider = providerFormats(provider, operation);
  return formatsOfProvider.includes(format) ? format : formatsOfProvider[0];
}

/** Returns the most inputs of one request to a provider. Its `batch` applies only if its kind has a limit. */
export function batchOf({ kind, batch }: Speaker, operation: Operation): number {
  const limit = maxInputs[kind][operation];
  return limit === undefined ? Number.POSITIVE_INFINITY : (batch ?? limit);
}

/** True if a provider accepts -1 for no token limit. */
export function takesNoLimit({ kind }: Pick<Provider, 'kind'>): boolean {
  return acceptsMinusOne.has(kind);
}

/** True if a provider is sent the client's own text: it serves the format, and all inputs at once. */
export function takesText(provider: Speaker, asking: RouteQuery): boolean {
  const { inputs = 1 } = asking;
  return formatFor(provider, asking) === asking.format && inputs <= batchOf(provider, asking.operation);
}
