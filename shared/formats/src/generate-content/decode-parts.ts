import {
  type Citation,
  GatewayError,
  type GenerateEvent,
  type PartStart,
  type Signature,
} from '@model-gateway/canonical';
import { textOfUtf8, utf8Of } from '#bytes';
import { AnswerIds, type AnswerIdsOptions } from '../upstream/call-ids.ts';
import { findTool } from '../upstream/tools.ts';
import type { GenerateContentGrounding, GenerateContentUpstreamPart } from './answer.ts';
import { generateCallId, type KnownTool } from './encode-tools.ts';

export interface PartsOptions extends AnswerIdsOptions {
  /** The request's tools by their upstream names. */
  tools: ReadonlyMap<string, KnownTool>;
  /** True if the client's format puts the signature of a call on the reasoning before it. */
  signedBefore: boolean;
}

interface OpenPart {
  type: 'text' | 'reasoning';
  index: number;
  /** Offset of the part in the response's text, in characters. */
  from: number;
  signature?: Signature;
}

/** The most groundings of a candidate whose places in the text are looked for. Vendors send one. */
const maxPlaced = 32;

/** Fields of a text part. A part with any other field is opaque. */
const textFields = new Set(['text', 'thought', 'thoughtSignature', 'videoMetadata', 'partMetadata']);

/** Decodes the parts of one candidate. Consecutive texts become one part, until a signature ends it. */
export class Parts {
  readonly #options: PartsOptions;
  readonly #ids: AnswerIds;
  #count = 0;
  #open: OpenPart | undefined;
  /** The response's text so far. */
  #texts: string[] = [];
  #length = 0;
  #grounding: GenerateContentGrounding | undefined;
  #groundings = 0;

  constructor(options: PartsOptions) {
    this.#options = options;
    this.#ids = new AnswerIds({ invent: generateCallId, ...options });
  }

  /** @throws GatewayError for a call without a name */
  add(part: GenerateContentUpstreamPart): GenerateEvent[] {
    const { text, thought, thoughtSignature, functionCall, inlineData } = part;
    const signature = thoughtSignature ? asSignature(thoughtSignature) : undefined;
    if (functionCall) return this.#call(functionCall, signature);
    // A draft image: no other format has images in reasoning.
    if (thought && inlineData) return [];
    if (inlineData?.data) return this.#media(inlineData, signature);
    const textual = typeof text === 'string' || Object.keys(part).every(name => textFields.has(name));
    if (!textual) return this.#whole({ type: 'opaque', format: 'generate-content', value: part });
    if (text) return this.#text(thought ? 'reasoning' : 'text', text, signature);
    return signature ? this.#attach(signature) : [];
  }

  /** Stores the sources of the text. They become citations at the end of the open part. */
  ground(grounding: GenerateContentGrounding): void {
    if (grounding.groundingChunks?.length) this.#grounding = grounding;
  }

  /** Ends the open part. */
  end(): GenerateEvent[] {
    if (!this.#open) return [];
    const { type, index, from, signature } = this.#open;
    this.#open = undefined;
    const citations = type === 'text' ? this.#citations(from) : [];
    return [
      {
        type: 'part-end',
        index,
        ...(signature && { signature }),
        ...(citations.length > 0 && { citations }),
      },
    ];
  }

  #text(type: OpenPart['type'], text: string, signature: Signature | undefined): GenerateEvent[] {
    const continues = this.#open?.type === type && !this.#open.signature;
    const events = continues ? [] : [...this.end(), this.#begin(type)];
    const open = this.#open as OpenPart;
    if (signature) open.signature = signature;
    if (type === 'text') {
      this.#texts.push(text);
      this.#length += text.length;
    }
    return [...events, { type: 'part-delta', index: open.index, text }];
  }

  #begin(type: OpenPart['type']): GenerateEvent {
    const index = this.#count++;
    this.#open = { type, index, from: this.#length };
    return { type: 'part-start', index, part: { type } };
  }

  /** Attaches a signature without data to the open part, or else to a new reasoning part without text. */
  #attach(signature: Signature): GenerateEvent[] {
    if (this.#open && !this.#open.signature) {
      this.#open.signature = signature;
      return [];
    }
    return [...this.end(), ...this.#whole({ type: 'reasoning' }, signature)];
  }

  #call(
    { id, name, args }: NonNullable<GenerateContentUpstreamPart['functionCall']>,
    signature: Signature | undefined,
  ): GenerateEvent[] {
    if (!name) throw new GatewayError('upstream', 'The upstream called a tool without a name.');
    const { tools, signedBefore } = this.#options;
    const before = signature && signedBefore ? this.#signBefore(signature) : this.end();
    const tool = findTool(tools, name);
    const custom = tool?.type === 'custom';
    const part: PartStart = {
      type: 'tool-call',
      id: this.#ids.of(id),
      name: tool?.name ?? name,
      ...(custom && { custom }),
    };
    const text = custom ? freeText(args) : JSON.stringify(args ?? {});
    return [...before, ...this.#whole(part, signature, text)];
  }

  /** Puts the signature of a call on the reasoning before it, which is added if there is none. */
  #signBefore(signature: Signature): GenerateEvent[] {
    if (this.#open?.type !== 'reasoning' || this.#open.signature)
      return [...this.end(), ...this.#whole({ type: 'reasoning' }, signature)];
    this.#open.signature = signature;
    return this.end();
  }

  #media(
    { mimeType, data }: NonNullable<GenerateContentUpstreamPart['inlineData']>,
    signature: Signature | undefined,
  ): GenerateEvent[] {
    const mediaType = mimeType ?? undefined;
    const [family] = (mediaType ?? '').split('/');
    const kind = family === 'image' || family === 'audio' ? family : 'document';
    const part: PartStart = {
      type: 'media',
      kind,
      source: { type: 'base64', data: data ?? '' },
      ...(mediaType && { mediaType }),
    };
    return this.#whole(part, signature);
  }

  /** Emits a part that is complete at once. */
  #whole(part: PartStart, signature?: Signature, text = ''): GenerateEvent[] {
    const before = this.end();
    const index = this.#count++;
    return [
      ...before,
      { type: 'part-start', index, part },
      ...(text ? [{ type: 'part-delta' as const, index, text }] : []),
      { type: 'part-end', index, ...(signature && { signature }) },
    ];
  }

  /** Returns citations with offsets within the part. Text before the part is cited for the whole part. */
  #citations(from: number): Citation[] {
    if (!this.#grounding) return [];
    const places = this.#groundings++ < maxPlaced ? new Slots(this.#texts.join('')) : undefined;
    const cited = decodeGrounding(this.#grounding, places);
    this.#grounding = undefined;
    return cited.map(({ url, title, start, end }) => {
      const within = start !== undefined && end !== undefined && start >= from;
      return { url, title, ...(within && { start: start - from, end: end - from }) };
    });
  }
}

function asSignature(value: string): Signature {
  return { format: 'generate-content', value };
}

/** Returns the free text of a custom tool, which upstream is a function with one text argument. */
function freeText(args: unknown): string {
  const text = typeof args === 'object' && args !== null && 'input' in args ? args.input : undefined;
  return typeof text === 'string' ? text : JSON.stringify(args ?? {});
}

type Segment = NonNullable<NonNullable<GenerateContentGrounding['groundingSupports']>[number]['segment']>;

/** Returns the citations of a text. Sources without a known segment, and all of them without `places`, cite the whole text. */
function decodeGrounding(grounding: GenerateContentGrounding, places: Slots | undefined): Citation[] {
  const sources = (grounding.groundingChunks ?? []).map(chunk => {
    const uri = chunk?.web?.uri;
    return uri ? { url: uri, title: chunk.web?.title ?? '' } : undefined;
  });
  const cited = new Set<number>();
  const citations: Citation[] = [];
  let room = maxRepeated;
  for (const { segment, groundingChunkIndices } of grounding.groundingSupports ?? []) {
    const place = segment ? (places?.of(segment) ?? {}) : {};
    for (const index of groundingChunkIndices ?? []) {
      const source = sources[index];
      room -= source ? source.url.length + source.title.length + 1 : 0;
      if (!source || room < 0) continue;
      cited.add(index);
      citations.push({ ...source, ...place });
    }
  }
  for (const [index, source] of sources.entries()) if (source && !cited.has(index)) citations.push(source);
  return citations;
}

/** The most characters of sources that segments repeat: each may name all of them. */
const maxRepeated = 1_000_000;

/** Bytes between two places whose characters are known. */
const markEach = 1_024;
/** The most characters that are searched for segments whose offsets are wrong. */
const maxSearched = 16_000_000;

/** The places of segments in a text. */
export class Slots {
  readonly #text: string;
  readonly #bytes: Uint8Array;
  /** The characters before each thousandth byte or so. */
  #marks: number[] | undefined;
  #searched = 0;

  constructor(text: string) {
    this.#text = text;
    this.#bytes = utf8Of(text);
  }

  /**
   * Finds a segment. Its offsets are UTF-8 bytes within a part, which may not be the first. If they do not match the
   * segment's text, that text is searched for.
   */
  of({ startIndex, endIndex, text }: Segment): { start?: number; end?: number } {
    if (endIndex) {
      const start = this.#charactersIn(startIndex ?? 0);
      const end = this.#charactersIn(endIndex);
      if (text ? this.#text.slice(start, end) === text : end <= this.#text.length) return { start, end };
    }
    const found = text ? this.#find(text) : -1;
    return text && found >= 0 ? { start: found, end: found + text.length } : {};
  }

  #find(text: string): number {
    this.#searched += this.#text.length;
    return this.#searched > maxSearched ? -1 : this.#text.indexOf(text);
  }

  #charactersIn(count: number): number {
    this.#marks ??= this.#mark();
    const mark = Math.max(0, Math.min(Math.floor(count / markEach), this.#marks.length - 1));
    const from = this.#placeOf(mark);
    return (this.#marks[mark] ?? 0) + textOfUtf8(this.#bytes, from, Math.max(from, count)).length;
  }

  #mark(): number[] {
    const marks = [0];
    for (let mark = 1; mark * markEach <= this.#bytes.length; mark++) {
      const piece = textOfUtf8(this.#bytes, this.#placeOf(mark - 1), this.#placeOf(mark));
      marks.push((marks[mark - 1] ?? 0) + piece.length);
    }
    return marks;
  }

  /** Returns the byte of a mark, which begins a character. */
  #placeOf(mark: number): number {
    let at = mark * markEach;
    while (((this.#bytes[at] ?? 0) & 0xc0) === 0x80) at--;
    return at;
  }
}
