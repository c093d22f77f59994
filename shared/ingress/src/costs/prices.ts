import { noUsage, type PromptEstimate, type RequestExtras, type Usage } from '@model-gateway/canonical';
import {
  attemptCost,
  type Catalog,
  type KeptPrices,
  openKeptPrices,
  type PricedAttempt,
  type Quantities,
} from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';
import type { GatewayRequest } from '@model-gateway/formats/client';
import type { ClientBody } from '../form/received.ts';
import type { RecentOutputs } from './recent-outputs.ts';

/** Knows what attempts cost, from memory. The vendors' prices are loaded for the first request with a budget. */
export class Prices {
  readonly #catalog: Catalog;
  readonly #clock: Clock;
  #kept: KeptPrices | undefined;
  #opening: Promise<void> | undefined;

  constructor(catalog: Catalog, clock: Clock) {
    this.#catalog = catalog;
    this.#clock = clock;
  }

  /** Loads the vendors' prices unless they are; without them, only prices that the catalog states are known. */
  open(): Promise<void> | undefined {
    if (this.#kept) return undefined;
    this.#opening ??= openKeptPrices()
      .then(kept => {
        this.#kept = kept;
      })
      .catch(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  /** Returns the time of an attempt that ends now. */
  now(): Date {
    return new Date(this.#clock.now());
  }

  /** Returns the cost of an attempt in US dollars; undefined if its price is unknown. */
  costOf(attempt: PricedAttempt): number | undefined {
    return attemptCost(attempt, this.#catalog, this.#kept)?.cost;
  }
}

/** The output of a request that sets no maximum of it. */
export const unstated = Number.POSITIVE_INFINITY;

/** The most output tokens of an answer, and of an image, of a model whose maximum is unknown. */
export const unknownMost = { answer: 32_768, image: 8_192 };
/** The most output tokens of an answer of such a model, whatever maximum a request sets. */
const mostStated = 1_000_000;

/** The facts that the output of a request is bounded by. */
interface Bounded {
  operation: string;
  quantities: { output: number };
  choices?: number | undefined;
}

/** Returns the most output tokens of a request at a model: as many as it asks for, and no more than the model writes. */
export function mostOutput(
  { operation, quantities: { output }, choices = 1 }: Bounded,
  { maxOutput }: { maxOutput?: number | undefined },
): number {
  const unknown = operation === 'image' ? unknownMost.image : unknownMost.answer;
  return Math.min(output, choices * (maxOutput ?? (output === unstated ? unknown : mostStated)));
}

/** Bytes of a second of audio whose length is unknown: 128 kbit/s. */
const audioBytes = 16_000;

/** Returns the quantities of a usage. */
export function quantitiesOf(usage: Usage): Quantities & Pick<PricedAttempt, 'serviceTier'> {
  const { units } = usage;
  return {
    input: usage.input,
    cachedInput: usage.cachedInput,
    cacheWrite5m: usage.cacheWrite5m,
    cacheWrite1h: usage.cacheWrite1h,
    audioInput: usage.audioInput,
    imageInput: usage.imageInput,
    output: usage.output,
    reasoning: usage.reasoning,
    audioOutput: usage.audioOutput,
    images: units?.images ?? 0,
    seconds: units?.seconds ?? 0,
    characters: units?.characters ?? 0,
    searches: units?.searches ?? 0,
    webSearches: units?.webSearches ?? 0,
    ...(usage.tier !== undefined && { serviceTier: usage.tier }),
  };
}

/**
 * Returns an estimate of what a request uses whatever its answer is, from one of all that it will use. `hidden`: the output tokens that
 * it may not show.
 */
export function promptOf(quantities: Quantities, hidden?: number): PromptEstimate {
  const { input, images, seconds, characters, searches } = quantities;
  const prompt = hidden === undefined ? { input } : { input, hidden };
  if (images + seconds + characters + searches === 0) return prompt;
  const counted = Object.entries({ images, seconds, characters, searches });
  return { ...prompt, units: Object.fromEntries(counted.filter(([, count]) => count > 0)) };
}

/** Returns the output tokens that streams of a request's model usually do not show; undefined if that is not known. */
export function hiddenOf(
  request: GatewayRequest,
  outputs: Pick<RecentOutputs, 'hidden'>,
): number | undefined {
  return request.type === 'generate' && request.stream ? outputs.hidden(request.model) : undefined;
}

/** An estimate of the usage of a request. */
export interface EstimatedQuantities extends Quantities {
  /** Its hosted tools and its service tier. */
  extras?: RequestExtras | undefined;
}

/** Returns an estimate of what a request will use. `input`: its tokens. The output is {@link unstated} without a maximum. */
export function estimateQuantities(
  request: GatewayRequest,
  body: ClientBody,
  input: number,
): EstimatedQuantities {
  const none = quantitiesOf(noUsage);
  switch (request.type) {
    case 'count-tokens':
      return none;
    case 'generate':
      return { ...none, input, output: request.maxTokens ?? unstated, extras: request.extras };
    case 'embed':
    case 'moderate':
      return { ...none, input };
    case 'rerank':
      return { ...none, input, searches: 1 };
    case 'speech':
      return {
        ...none,
        input,
        characters: body.type === 'text' ? body.text.length : 0,
        output: unstated,
      };
    case 'transcribe':
      return { ...none, seconds: request.seconds ?? secondsOf(body), output: unstated };
    case 'image':
      return { ...none, input, images: request.images ?? 1, output: unstated };
  }
}

function secondsOf(body: ClientBody): number {
  const files = body.type === 'form' ? body.form.files : [];
  return files.reduce((sum, { size }) => sum + size, 0) / audioBytes;
}
