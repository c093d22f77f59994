import { type FinishEvent, type Image, noUsage, sumUsage, type Usage } from '@model-gateway/canonical';
import { readUsage as readTokens } from '../upstream/any-usage.ts';
import { eventData } from '../upstream/decode-openai-failure.ts';
import { mediaTypeOf } from '../upstream/encode-media.ts';
import { editEvent } from '../upstream/loose-events.ts';
import type { PassedReader } from '../upstream/passed-events.ts';
import { objectIn, type StreamEvent } from '../upstream/read-json.ts';
import type { ReadResult } from '../upstream/whole-body.ts';
import { imageUsage } from './types.ts';

/** The expected shape of a response. */
interface Body {
  created?: unknown;
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

/** Reads the images of a response; undefined if it has none or an invalid one. `at`: the time of a response that does not say it, in seconds. */
export function readImages(body: unknown, at: number): ReadResult | undefined {
  const { created, data, usage, output_format: format, size, quality, background } = (body ?? {}) as Body;
  if (!Array.isArray(data) || data.length === 0) return undefined;
  const images = data.flatMap(item => readImage(item ?? {}, format));
  if (images.length < data.length) return undefined;
  const read = readUsage(usage, images.length);
  const edits = new Map(editsOf(usage, read));
  if (typeof created !== 'number') edits.set('created', String(at));
  return {
    result: { type: 'images', images, ...texts({ size, quality, background }) },
    usage: read,
    ...(edits.size > 0 && { edits }),
  };
}

/** Returns the edits that put a usage into the words that clients read; undefined if it has them, or if none was read. */
function editsOf(raw: unknown, usage: Usage | null): Map<string, string> | undefined {
  if (raw == null || !usage || isOwnWords(raw)) return undefined;
  return new Map([['usage', JSON.stringify(imageUsage(usage))]]);
}

function isOwnWords(raw: unknown): boolean {
  const { input_tokens, output_tokens, total_tokens } = objectIn(raw) ?? {};
  return [input_tokens, output_tokens, total_tokens].every(tokens => typeof tokens === 'number');
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

/**
 * Reads usage. Older models report no tokens, or zeros, so only the number of images is known. Null for a usage in unknown words, which
 * is then estimated.
 */
function readUsage(raw: unknown, images: number): Usage | null {
  const tokens = readTokens(raw);
  if (tokens) return { ...tokens, units: { images } };
  return raw == null || isOwnWords(raw) ? { ...noUsage, units: { images }, raw } : null;
}

/**
 * Counts the complete images of a stream. The format has no end marker: a stream that ends normally after at
 * least one image is complete.
 */
export class ImageEvents implements PassedReader {
  readonly endMark = 'ignored';
  readonly #expected: number;
  /** The usage of each complete image; null if it could not be read. */
  readonly #usages: (Usage | null)[] = [];

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
    const known = this.#usages.flatMap(usage => usage ?? []);
    if (known.length < this.#usages.length) return null;
    return known.length > 1 ? sumUsage(known) : (known[0] ?? null);
  }

  /** Skips partial images: parsing megabytes of them would be useless work. */
  skips({ event }: StreamEvent): boolean {
    return event?.endsWith('.partial_image') ?? false;
  }

  read(event: StreamEvent): void {
    const { type, usage } = eventData(event);
    if (!String(type ?? event.event).endsWith('.completed')) return;
    const read = readUsage(usage, 1);
    this.#usages.push(read);
    const edits = editsOf(usage, read);
    if (edits) editEvent(event, edits);
  }

  finish(): FinishEvent {
    return { type: 'finish', reason: 'stop', raw: null, usage: this.usage };
  }
}
