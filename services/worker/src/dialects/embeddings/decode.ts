import { noUsage, type Usage } from '@model-gateway/canonical';
import type { ReadResult } from '../result.ts';
import { readVectors } from '../vectors.ts';

/** The expected shape of a response. */
interface Body {
  model?: unknown;
  data?: ({ index?: unknown; embedding?: unknown } | null)[];
  usage?: { prompt_tokens?: unknown; total_tokens?: unknown } | null;
}

/** The requested encoding and number of vectors. */
export interface Expected {
  encoding?: 'float' | 'base64' | undefined;
  /** Undefined if the number is unknown. */
  count?: number | undefined;
}

/** Reads the vectors of a response; undefined if one is missing, duplicated or invalid. */
export function readEmbeddings(body: unknown, { encoding, count }: Expected): ReadResult | undefined {
  const { model, data, usage } = (body ?? {}) as Body;
  if (!Array.isArray(data)) return undefined;
  const indexes = data.map((each, at) => each?.index ?? at);
  const embeddings = inOrder(
    indexes,
    data.map(each => each?.embedding),
  );
  const vectors = embeddings && readVectors(embeddings, encoding, count);
  if (!vectors) return undefined;
  return {
    result: { type: 'embeddings', model: typeof model === 'string' ? model : '', vectors },
    usage: readUsage(usage),
    asAsked:
      indexes.every((index, at) => index === at) && embeddings.every(each => hasEncoding(each, encoding)),
  };
}

/** Sorts the values by index; undefined if an index is missing, duplicated or invalid. */
function inOrder(indexes: readonly unknown[], values: readonly unknown[]): unknown[] | undefined {
  const byIndex = new Map(indexes.map((index, i) => [index, values[i]]));
  const all = values.every((_, at) => byIndex.has(at));
  return all ? values.map((_, at) => byIndex.get(at)) : undefined;
}

function hasEncoding(embedding: unknown, encoding: Expected['encoding']): boolean {
  return (typeof embedding === 'string') === (encoding === 'base64');
}

function readUsage(usage: Body['usage']): Usage | null {
  const input = usage?.prompt_tokens ?? usage?.total_tokens;
  return typeof input === 'number' ? { ...noUsage, input, raw: usage } : null;
}
