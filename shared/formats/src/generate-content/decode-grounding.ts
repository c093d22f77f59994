import type { Citation } from '@model-gateway/canonical';
import { textOfUtf8, utf8Of } from '#bytes';
import type { GenerateContentGrounding } from './upstream-answer.ts';

type Segment = NonNullable<NonNullable<GenerateContentGrounding['groundingSupports']>[number]['segment']>;

/** Returns the citations of a text. Sources without a known segment, and all of them without `places`, cite the whole text. */
export function decodeGrounding(grounding: GenerateContentGrounding, places: Places | undefined): Citation[] {
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
export class Places {
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
