import {
  type Citation,
  GatewayError,
  type GenerateEvent,
  type PartStart,
  type Signature,
} from '@model-gateway/canonical';
import type { GenerateContentGrounding, GenerateContentUpstreamPart } from '@model-gateway/wire';
import type { KnownTool } from './encode-tools.ts';
import { madeCallId } from './names.ts';

export interface PartsOptions {
  /** The request's tools, by the names under which the upstream knows them. */
  tools: ReadonlyMap<string, KnownTool>;
  /** What is unique about the answer, for ids that the upstream leaves out. */
  seed: string;
  /** The client's format has no place for a signature in a call: reasoning just before it is its place. */
  signedBefore: boolean;
}

interface OpenPart {
  type: 'text' | 'reasoning';
  index: number;
  /** Where it begins in all of the answer's text. */
  from: number;
  signature?: Signature;
}

/** Fields beside a part's data. */
const side = new Set(['text', 'thought', 'thoughtSignature', 'videoMetadata', 'partMetadata']);

/** Makes parts of what the pieces of one candidate add: texts in a row are one, until a signature ends it. */
export class Parts {
  readonly #options: PartsOptions;
  readonly #ids = new Set<string>();
  #count = 0;
  #calls = 0;
  #open: OpenPart | undefined;
  /** The answer's text so far. */
  #said: string[] = [];
  #length = 0;
  #grounding: GenerateContentGrounding | undefined;

  constructor(options: PartsOptions) {
    this.#options = options;
  }

  get any(): boolean {
    return this.#count > 0;
  }

  /** @throws GatewayError for a call without a name */
  add(part: GenerateContentUpstreamPart): GenerateEvent[] {
    const { text, thought, thoughtSignature: proof, functionCall, inlineData } = part;
    const signature = proof ? signed(proof) : undefined;
    if (functionCall) return this.#call(functionCall, signature);
    // A draft: no part of the answer, and no other format shows thoughts that are pictures.
    if (thought && inlineData) return [];
    if (inlineData?.data) return this.#media(inlineData, signature);
    const textual = typeof text === 'string' || Object.keys(part).every(name => side.has(name));
    if (!textual) return this.#whole({ type: 'opaque', format: 'generate-content', value: part });
    if (text) return this.#text(thought ? 'reasoning' : 'text', text, signature);
    return signature ? this.#prove(signature) : [];
  }

  /** Where the text is from: told at the end of the part that is open then. */
  ground(grounding: GenerateContentGrounding): void {
    if (grounding.groundingChunks?.length) this.#grounding = grounding;
  }

  /** Ends what is open. */
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
    const goesOn = this.#open?.type === type && !this.#open.signature;
    const events = goesOn ? [] : [...this.end(), this.#begin(type)];
    const open = this.#open as OpenPart;
    if (signature) open.signature = signature;
    if (type === 'text') {
      this.#said.push(text);
      this.#length += text.length;
    }
    return [...events, { type: 'part-delta', index: open.index, text }];
  }

  #begin(type: OpenPart['type']): GenerateEvent {
    const index = this.#count++;
    this.#open = { type, index, from: this.#length };
    return { type: 'part-start', index, part: { type } };
  }

  /** A signature without data is that of the text before it; after anything else, reasoning without text keeps it. */
  #prove(signature: Signature): GenerateEvent[] {
    if (this.#open && !this.#open.signature) {
      this.#open.signature = signature;
      return [];
    }
    return [...this.end(), ...this.#whole({ type: 'reasoning' }, signature)];
  }

  #call(
    { id: given, name, args }: NonNullable<GenerateContentUpstreamPart['functionCall']>,
    signature: Signature | undefined,
  ): GenerateEvent[] {
    if (!name) throw new GatewayError('upstream', 'The upstream called a tool without a name.');
    const { tools, signedBefore } = this.#options;
    const before = signature && signedBefore ? this.#proveBefore(signature) : this.end();
    const tool = tools.get(name);
    const custom = tool?.type === 'custom';
    const part: PartStart = {
      type: 'tool-call',
      id: this.#idOf(given),
      name: tool?.name ?? name,
      ...(custom && { custom }),
    };
    const text = custom ? freeText(args) : JSON.stringify(args ?? {});
    return [...before, ...this.#whole(part, signature, text)];
  }

  #proveBefore(signature: Signature): GenerateEvent[] {
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

  /** A part that comes at once. */
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

  /** The upstream's own id, unless it has none or has given it before. */
  #idOf(given: string | null | undefined): string {
    const number = this.#calls++;
    const id = given && !this.#ids.has(given) ? given : madeCallId(this.#options.seed, number);
    this.#ids.add(id);
    return id;
  }

  /** By where they are in the part; a source of what is elsewhere is of all of it. */
  #citations(from: number): Citation[] {
    if (!this.#grounding) return [];
    const cited = decodeGrounding(this.#grounding, this.#said.join(''));
    this.#grounding = undefined;
    return cited.map(({ url, title, start, end }) => {
      const within = start !== undefined && end !== undefined && start >= from;
      return { url, title, ...(within && { start: start - from, end: end - from }) };
    });
  }
}

function signed(value: string): Signature {
  return { format: 'generate-content', value };
}

/** The free text of a custom tool, which the upstream knows as a function with one text. */
function freeText(args: unknown): string {
  const text = typeof args === 'object' && args !== null && 'input' in args ? args.input : undefined;
  return typeof text === 'string' ? text : JSON.stringify(args ?? {});
}

type Segment = NonNullable<NonNullable<GenerateContentGrounding['groundingSupports']>[number]['segment']>;

/** The sources of a text, by where they are in it; those of nothing in particular are of all of it. */
export function decodeGrounding(grounding: GenerateContentGrounding, text: string): Citation[] {
  const sources = (grounding.groundingChunks ?? []).map(chunk => {
    const uri = chunk?.web?.uri;
    return uri ? { url: uri, title: chunk.web?.title ?? '' } : undefined;
  });
  const bytes = Buffer.from(text);
  const cited = new Set<number>();
  const placed = (grounding.groundingSupports ?? []).flatMap(({ segment, groundingChunkIndices }) => {
    const place = segment ? placeOf(segment, text, bytes) : {};
    return (groundingChunkIndices ?? []).flatMap(index => {
      cited.add(index);
      const source = sources[index];
      return source ? [{ ...source, ...place }] : [];
    });
  });
  return [...placed, ...sources.filter((source, index) => source !== undefined && !cited.has(index))].filter(
    citation => citation !== undefined,
  );
}

/**
 * The format counts bytes of UTF-8, within a part that may not be the text's first. Where the count does not lead to
 * the words that it is said to, these are looked for.
 */
function placeOf(
  { startIndex, endIndex, text: words }: Segment,
  text: string,
  bytes: Buffer,
): { start?: number; end?: number } {
  if (endIndex) {
    const start = charactersIn(bytes, startIndex ?? 0);
    const end = charactersIn(bytes, endIndex);
    if (words ? text.slice(start, end) === words : end <= text.length) return { start, end };
  }
  const found = words ? text.indexOf(words) : -1;
  return words && found >= 0 ? { start: found, end: found + words.length } : {};
}

function charactersIn(bytes: Buffer, count: number): number {
  return bytes.toString('utf8', 0, count).length;
}
