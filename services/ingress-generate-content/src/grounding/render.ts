import type { Citation } from '@model-gateway/canonical';
import type { GoogleCandidate, GoogleGroundingWritten } from '@model-gateway/wire';

/** A text that names its sources. */
export interface CitedText {
  text: string;
  citations: readonly Citation[];
  /** Where it begins in what the indexes count, in bytes. */
  offset: number;
  /** Which part of the content it is. */
  partIndex?: number;
}

/** Where an answer comes from: each source once, and which of them a stretch of text is taken from. */
export function renderGrounding(texts: readonly CitedText[]): Pick<GoogleCandidate, 'groundingMetadata'> {
  const citations = texts.flatMap(text => text.citations);
  if (citations.length === 0) return {};
  const sources = new Map(citations.map(({ url, title }) => [url, { uri: url, ...(title && { title }) }]));
  const indexes = [...sources.keys()];
  const groundingSupports = texts.flatMap(cited =>
    cited.citations.map(citation => ({
      segment: segmentOf(cited, citation),
      groundingChunkIndices: [indexes.indexOf(citation.url)],
    })),
  );
  return {
    groundingMetadata: { groundingChunks: [...sources.values()].map(web => ({ web })), groundingSupports },
  };
}

type Segment = GoogleGroundingWritten['groundingSupports'][number]['segment'];

/** This format counts bytes, others characters. */
function segmentOf(
  { text, offset, partIndex }: CitedText,
  { start = 0, end = text.length }: Citation,
): Segment {
  const cited = text.slice(start, end);
  const startIndex = offset + Buffer.byteLength(text.slice(0, start));
  return {
    ...(partIndex && { partIndex }),
    startIndex,
    endIndex: startIndex + Buffer.byteLength(cited),
    text: cited,
  };
}
