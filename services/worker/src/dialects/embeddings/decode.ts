import { noUsage, type Usage } from '@model-gateway/canonical';
import type { ReadResult } from '../result.ts';
import { readVectors } from '../vectors.ts';

/** An answer, as far as it is what it should be. */
interface Body {
  model?: unknown;
  data?: ({ index?: unknown; embedding?: unknown } | null)[];
  usage?: { prompt_tokens?: unknown; total_tokens?: unknown } | null;
}

/** What is asked for. */
export interface Wanted {
  encoding?: 'float' | 'base64' | undefined;
  /** How many vectors, where it is known. */
  count?: number | undefined;
}

/** Reads the vectors of an answer; undefined where one is missing, twice there or none. */
export function readEmbeddings(body: unknown, { encoding, count }: Wanted): ReadResult | undefined {
  const { model, data, usage } = (body ?? {}) as Body;
  if (!Array.isArray(data)) return undefined;
  const places = data.map((each, at) => each?.index ?? at);
  const embeddings = inOrder(
    places,
    data.map(each => each?.embedding),
  );
  const vectors = embeddings && readVectors(embeddings, encoding, count);
  if (!vectors) return undefined;
  return {
    result: { type: 'embeddings', model: typeof model === 'string' ? model : '', vectors },
    usage: readUsage(usage),
    asAsked: places.every((place, at) => place === at) && embeddings.every(each => isWritten(each, encoding)),
  };
}

/** The values by their places; undefined where a place is missing, twice there or none. */
function inOrder(places: readonly unknown[], values: readonly unknown[]): unknown[] | undefined {
  const byPlace = new Map(places.map((place, i) => [place, values[i]]));
  const all = values.every((_, at) => byPlace.has(at));
  return all ? values.map((_, at) => byPlace.get(at)) : undefined;
}

function isWritten(embedding: unknown, encoding: Wanted['encoding']): boolean {
  return (typeof embedding === 'string') === (encoding === 'base64');
}

function readUsage(usage: Body['usage']): Usage | null {
  const input = usage?.prompt_tokens ?? usage?.total_tokens;
  return typeof input === 'number' ? { ...noUsage, input, raw: usage } : null;
}
