import {
  type Citation,
  type MediaPart,
  parseExact,
  type Signature,
  writeSignature,
} from '@model-gateway/canonical';
import type {
  GenerateContentAnswerPart,
  GenerateContentCandidate,
  GenerateContentGroundingWritten,
} from '@model-gateway/wire';

/** A whole call: in this format its arguments are an object, and come at once. */
export function renderCall(
  id: string,
  name: string,
  json: string,
): Extract<GenerateContentAnswerPart, { functionCall: object }> {
  return { functionCall: { id, name, args: argsOf(json) } };
}

/** What a model wrote as a call's arguments, as an object; what is none is kept under a name. */
function argsOf(json: string): Record<string, unknown> {
  if (json.trim() === '') return {};
  let value: unknown;
  try {
    value = parseExact(json);
  } catch {
    return { _raw: json };
  }
  if (value === null) return {};
  // A number that is kept as its text is an object, too, but not written as one.
  return json.trimStart().startsWith('{') ? (value as Record<string, unknown>) : { value };
}

/** What a model made that is no text; a file of another vendor is a name only. */
export function renderMedia({ kind, source, mediaType, name }: MediaPart): GenerateContentAnswerPart {
  switch (source.type) {
    case 'text':
      return { text: source.text };
    case 'base64':
      return { inlineData: { mimeType: mediaType ?? defaultTypes[kind], data: source.data } };
    case 'url':
      return { fileData: { ...(mediaType && { mimeType: mediaType }), fileUri: source.url } };
    case 'file':
      if (source.format !== 'generate-content') return { text: `[${name ?? kind}: ${source.id}]` };
      return { fileData: { ...(mediaType && { mimeType: mediaType }), fileUri: source.id } };
  }
}

const defaultTypes: Record<MediaPart['kind'], string> = {
  image: 'image/png',
  audio: 'audio/wav',
  document: 'application/octet-stream',
};

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
export function renderGrounding(
  texts: readonly CitedText[],
): Pick<GenerateContentCandidate, 'groundingMetadata'> {
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

type Segment = GenerateContentGroundingWritten['groundingSupports'][number]['segment'];

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

export function renderProof(signature: Signature | undefined): { thoughtSignature?: string } {
  return signature ? { thoughtSignature: writeSignature(signature, 'generate-content') } : {};
}

/** A thought of which nothing more is shown, or nothing at all, with its signature. */
export function thoughtOf(signature: Signature, hidden = false): GenerateContentAnswerPart {
  return { ...(!hidden && { text: '' }), thought: true, ...renderProof(signature) };
}

/**
 * The signature of thoughts that another vendor signed waits for the part after them: there this format has its own, and
 * there its clients keep it, of whom some send no thoughts back.
 */
export class WaitingProof {
  #signature: Signature | undefined;

  wait(signature: Signature): void {
    this.#signature = signature;
  }

  /** For the part that comes now. */
  take(): { thoughtSignature?: string } {
    const proof = renderProof(this.#signature);
    this.#signature = undefined;
    return proof;
  }

  /** As a part of its own, where nothing comes that could have it. */
  alone(): GenerateContentAnswerPart[] {
    const signature = this.#signature;
    this.#signature = undefined;
    return signature ? [thoughtOf(signature)] : [];
  }
}

/** What every chunk of an answer says of it: the upstream's own words, else the request's. */
export function headOf(
  { id, model }: { id: string; model: string },
  requestId: string,
  asked: string,
): { modelVersion: string; responseId: string } {
  return { modelVersion: model || asked, responseId: id || requestId };
}

/** An id for the call at a place of the answer, where the upstream gave it none. */
export function callId(requestId: string, candidate: number, index: number): string {
  return `call_${requestId.replace(/^req_/, '')}_${candidate}_${index}`;
}
