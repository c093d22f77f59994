import type { Citation } from '@model-gateway/canonical';
import type { GoogleGrounding } from '@model-gateway/wire';

type Segment = NonNullable<NonNullable<GoogleGrounding['groundingSupports']>[number]['segment']>;

/** The sources of a text, by where they are in it; those of nothing in particular are of all of it. */
export function decodeGrounding(grounding: GoogleGrounding, text: string): Citation[] {
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
