import { type FinishEvent, type Image, noUsage, sumUsage, type Usage } from '@model-gateway/canonical';
import { eventData } from '../decode-openai-failure.ts';
import { mediaTypeOf } from '../encode-media-type.ts';
import type { PassedReader } from '../passed-events.ts';
import type { StreamEvent } from '../read-json.ts';
import type { ReadResult } from '../result.ts';

/** The expected shape of a response. */
interface Body {
  data?: Item[];
  size?: unknown;
  quality?: unknown;
  background?: unknown;
  output_format?: unknown;
  usage?: unknown;
}

interface Item {
  b64_json?: unknown;
  url?: unknown;
  revised_prompt?: unknown;
}

/** Reads the images of a response; undefined if it has none or an invalid one. */
export function readImages(body: unknown): ReadResult | undefined {
  const { data, usage, output_format: format, size, quality, background } = (body ?? {}) as Body;
  if (!Array.isArray(data) || data.length === 0) return undefined;
  const images = data.flatMap(item => readImage(item ?? {}, format));
  if (images.length < data.length) return undefined;
  return {
    result: { type: 'images', images, ...texts({ size, quality, background }) },
    usage: readUsage(usage, images.length),
  };
}

function readImage({ b64_json, url, revised_prompt }: Item, format: unknown): Image[] {
  const image = texts({ data: b64_json, url, revisedPrompt: revised_prompt });
  return image.data || image.url ? [{ ...image, mediaType: mediaTypeIn(image.data, format) }] : [];
}

function mediaTypeIn(data = '', format: unknown): string {
  if (typeof format === 'string') return `image/${format}`;
  return mediaTypeOf({ type: 'media', kind: 'image', source: { type: 'base64', data } }) ?? 'image/png';
}

/** Returns the fields that are non-empty strings. */
function texts<T extends string>(fields: Record<T, unknown>): { [K in T]?: string } {
  const entries = Object.entries(fields).filter(([, value]) => typeof value === 'string' && value !== '');
  return Object.fromEntries(entries) as { [K in T]?: string };
}

interface Tokens {
  input_tokens?: unknown;
  output_tokens?: unknown;
  input_tokens_details?: { image_tokens?: unknown; cached_tokens?: unknown } | null;
}

/** Converts usage. Older models report no tokens, so only the number of images is known. */
export function readUsage(raw: unknown, images: number): Usage {
  const units = { images };
  if (typeof raw !== 'object' || raw === null) return { ...noUsage, units };
  const { input_tokens, output_tokens, input_tokens_details: details } = raw as Tokens;
  return {
    ...noUsage,
    input: count(input_tokens),
    cachedInput: count(details?.cached_tokens),
    imageInput: count(details?.image_tokens),
    output: count(output_tokens),
    units,
    raw,
  };
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/**
 * Counts the complete images of a stream. The format has no end marker: a stream that ends normally after at
 * least one image is complete.
 */
export class ImageEvents implements PassedReader {
  readonly endMark = 'ignored';
  readonly #expected: number;
  /** The usage of each complete image. */
  readonly #usages: Usage[] = [];

  /** `expected` is the number of images requested. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  get complete(): boolean {
    return this.#usages.length >= this.#expected;
  }

  get valid(): boolean {
    return this.#usages.length > 0;
  }

  get usage(): Usage | null {
    const [first] = this.#usages;
    return this.#usages.length > 1 ? sumUsage(this.#usages) : (first ?? null);
  }

  /** Skips partial images: parsing megabytes of them would be useless work. */
  skips({ event }: StreamEvent): boolean {
    return event?.endsWith('.partial_image') ?? false;
  }

  read(event: StreamEvent): void {
    const { type, usage } = eventData(event);
    if (String(type ?? event.event).endsWith('.completed')) this.#usages.push(readUsage(usage, 1));
  }

  finish(): FinishEvent {
    return { type: 'finish', reason: 'stop', raw: null, usage: this.usage };
  }
}
