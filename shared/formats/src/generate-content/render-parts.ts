import type { Citation, MediaPart, PartEndEvent, PartStart, Signature } from '@model-gateway/canonical';
import { argumentsObject } from '@model-gateway/json';
import { PartQueue } from '../client/endpoint.ts';
import { writeSignature } from '../values/signatures.ts';
import type {
  GenerateContentAnswerPart,
  GenerateContentCandidate,
  GenerateContentGroundingWritten,
} from './answer.ts';
import type { GenerateContentFinish } from './finish.ts';

export type Piece = GenerateContentAnswerPart | Record<string, unknown>;
type PartEnd = Pick<PartEndEvent, 'signature' | 'citations'>;

/** A part that is not yet completely written. */
interface Waiting {
  part: PartStart;
  /** The part's index, from which a missing call id is derived. */
  index: number;
  /** Text that is not yet written. */
  unwritten: string;
  /** The written text of a text part. */
  text: string;
  /** For a text part: its first piece, and that piece's offset in the candidate's text in bytes. */
  piece?: Piece;
  offset?: number;
  ended: boolean;
  end?: PartEnd;
}

interface PiecesOptions {
  showThoughts: boolean;
  /** Returns an id for the call at this index, if it has none. */
  callId(index: number): string;
}

/**
 * Writes one candidate's parts as consecutive pieces. Text is written as it arrives. A call is one piece: it
 * waits for all of its arguments, and later parts wait for the call.
 */
export class Pieces {
  readonly #options: PiecesOptions;
  readonly #waiting = new PartQueue<Waiting>();
  readonly #pending = new PendingSignature();
  /** The length of the candidate's text so far, in bytes. */
  #bytes = 0;
  readonly cited: (CitedText & { piece: Piece })[] = [];
  /** The text of refusals. */
  refusal = '';

  constructor(options: PiecesOptions) {
    this.#options = options;
  }

  start(index: number, part: PartStart): Piece[] {
    this.#waiting.add(index, { part, index, unwritten: '', text: '', ended: false });
    return this.#advance();
  }

  add(index: number, text: string): Piece[] {
    const waiting = this.#waiting.get(index);
    if (!waiting) return [];
    waiting.unwritten += text;
    return this.#advance();
  }

  end(index: number, end: PartEnd): Piece[] {
    const waiting = this.#waiting.get(index);
    if (!waiting) return [];
    waiting.ended = true;
    waiting.end = end;
    return this.#advance();
  }

  /** Ends the candidate and returns its remaining pieces. */
  endAll(): Piece[] {
    for (const waiting of this.#waiting.all()) waiting.ended = true;
    return [...this.#advance(), ...this.#pending.flush()];
  }

  /** Writes the first part's text, and continues with the next part if the first has ended. */
  #advance(): Piece[] {
    const pieces: Piece[] = [];
    for (let part = this.#waiting.first; part; part = this.#waiting.first) {
      pieces.push(...this.#write(part));
      if (!part.ended) break;
      pieces.push(...this.#close(part));
      this.#waiting.removeFirst();
    }
    return pieces;
  }

  /** Writes a part's text. Parts that are one piece are written at their end. */
  #write(waiting: Waiting): Piece[] {
    const { part, unwritten } = waiting;
    if (unwritten === '' || part.type === 'tool-call') return [];
    waiting.unwritten = '';
    switch (part.type) {
      case 'text':
        return [this.#textPiece(waiting, unwritten)];
      case 'refusal':
        this.refusal += unwritten;
        return [];
      case 'reasoning':
        return this.#options.showThoughts
          ? [...this.#pending.flush(), { text: unwritten, thought: true }]
          : [];
      default:
        return [];
    }
  }

  #textPiece(waiting: Waiting, text: string): Piece {
    const piece = { text, ...this.#pending.take() };
    waiting.piece ??= piece;
    waiting.offset ??= this.#bytes;
    waiting.text += text;
    this.#bytes += Buffer.byteLength(text);
    return piece;
  }

  #close(waiting: Waiting): Piece[] {
    const { part, end: { signature, citations } = {} } = waiting;
    switch (part.type) {
      case 'text': {
        const { text, piece, offset = 0 } = waiting;
        if (piece && citations?.length) this.cited.push({ text, piece, offset, citations });
        return signature ? [...this.#pending.flush(), { text: '', ...renderSignature(signature) }] : [];
      }
      case 'reasoning':
        return this.#closeReasoning(waiting);
      case 'tool-call': {
        const call = renderCall(part.id || this.#options.callId(waiting.index), part.name, waiting.unwritten);
        if (!signature) return [{ ...call, ...this.#pending.take() }];
        return [...this.#pending.flush(), { ...call, ...renderSignature(signature) }];
      }
      case 'media':
        return [...this.#pending.flush(), renderMedia(part)];
      case 'opaque':
        // Opaque parts of other vendors, such as a search, have no equivalent.
        return part.format === 'generate-content' ? [...this.#pending.flush(), part.value] : [];
      case 'refusal':
        return [];
    }
  }

  #closeReasoning({ part, end }: Waiting): Piece[] {
    const signature = end?.signature;
    if (!signature) return [];
    const before = this.#pending.flush();
    const redacted = 'redacted' in part && part.redacted;
    if (redacted || signature.format === 'generate-content')
      return [...before, thoughtOf(signature, redacted)];
    this.#pending.set(signature);
    return before;
  }
}

/**
 * Renders the last content of a candidate. Clients reject a content without parts unless the response was
 * refused.
 */
export function contentOf(
  parts: Piece[],
  { finishReason }: GenerateContentFinish,
): Pick<GenerateContentCandidate, 'content'> {
  const refused = parts.length === 0 && finishReason !== 'STOP' && finishReason !== 'MAX_TOKENS';
  return refused ? {} : { content: { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] } };
}

/** Renders a call. In this format its arguments are an object and are sent at once. */
export function renderCall(
  id: string,
  name: string,
  json: string,
): Extract<GenerateContentAnswerPart, { functionCall: object }> {
  return { functionCall: { id, name, args: argumentsObject(json) } };
}

/** Renders media. A file stored at another vendor becomes a text with its name. */
function renderMedia({ kind, source, mediaType, name }: MediaPart): GenerateContentAnswerPart {
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

/** A text with citations. */
interface CitedText {
  text: string;
  citations: readonly Citation[];
  /** The offset of the text from the origin of the indexes, in bytes. */
  offset: number;
  /** The index of the part in the content. */
  partIndex?: number;
}

/** Renders citations: the list of distinct sources, and the source of each segment of text. */
export function renderGrounding(
  texts: readonly CitedText[],
): Pick<GenerateContentCandidate, 'groundingMetadata'> {
  const citations = texts.flatMap(text => text.citations);
  if (citations.length === 0) return {};
  const sources = new Map(citations.map(({ url, title }) => [url, { uri: url, ...(title && { title }) }]));
  const indexes = new Map([...sources.keys()].map((url, at) => [url, at]));
  const room = { left: maxCited };
  const groundingSupports = texts.flatMap(cited => {
    const bytes = new BytesBefore(cited.text);
    return cited.citations.map(citation => ({
      segment: segmentOf(cited, citation, bytes, room),
      groundingChunkIndices: [indexes.get(citation.url) ?? 0],
    }));
  });
  return {
    groundingMetadata: { groundingChunks: [...sources.values()].map(web => ({ web })), groundingSupports },
  };
}

type Segment = GenerateContentGroundingWritten['groundingSupports'][number]['segment'];

/** The most characters of an answer that its citations repeat: each may cite all of it. */
const maxCited = 1_000_000;

/** Converts a citation's range from characters to bytes, which this format counts. */
function segmentOf(
  { text, offset, partIndex }: CitedText,
  { start = 0, end = text.length }: Citation,
  bytes: BytesBefore,
  room: { left: number },
): Segment {
  const first = Math.max(0, start);
  const last = Math.max(first, Math.min(end, text.length));
  room.left -= last - first;
  return {
    ...(partIndex && { partIndex }),
    startIndex: offset + bytes.at(first),
    endIndex: offset + bytes.at(last),
    ...(room.left >= 0 && { text: text.slice(first, last) }),
  };
}

/** Characters between two places of a text whose bytes are known. */
const markEach = 1_024;

/** The number of bytes before a character of a text. */
class BytesBefore {
  readonly #text: string;
  /** The bytes before each thousandth character or so. */
  #marks: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  at(character: number): number {
    this.#marks ??= this.#mark();
    const mark = Math.min(Math.floor(character / markEach), this.#marks.length - 1);
    const from = placeOf(this.#text, mark);
    return (this.#marks[mark] ?? 0) + Buffer.byteLength(this.#text.slice(from, Math.max(from, character)));
  }

  #mark(): number[] {
    const marks = [0];
    for (let mark = 1; mark * markEach <= this.#text.length; mark++) {
      const piece = this.#text.slice(placeOf(this.#text, mark - 1), placeOf(this.#text, mark));
      marks.push((marks[mark - 1] ?? 0) + Buffer.byteLength(piece));
    }
    return marks;
  }
}

/** Returns the character of a mark, which is not within a pair of surrogates. */
function placeOf(text: string, mark: number): number {
  const at = mark * markEach;
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

export function renderSignature(signature: Signature | undefined): { thoughtSignature?: string } {
  return signature ? { thoughtSignature: writeSignature(signature, 'generate-content') } : {};
}

/**
 * Renders a thought without text that carries a signature. `hidden` omits the text field: redacted reasoning.
 */
export function thoughtOf(signature: Signature, hidden = false): GenerateContentAnswerPart {
  return { ...(!hidden && { text: '' }), thought: true, ...renderSignature(signature) };
}

/**
 * Moves the signature of another vendor's reasoning to the next part. This format has its own signatures
 * there, and clients preserve them there even if they send no thoughts back.
 */
class PendingSignature {
  #signature: Signature | undefined;

  set(signature: Signature): void {
    this.#signature = signature;
  }

  /** Returns the fields for the next part. */
  take(): { thoughtSignature?: string } {
    const fields = renderSignature(this.#signature);
    this.#signature = undefined;
    return fields;
  }

  /** Returns a part of its own, for when no part follows that can carry the signature. */
  flush(): GenerateContentAnswerPart[] {
    const signature = this.#signature;
    this.#signature = undefined;
    return signature ? [thoughtOf(signature)] : [];
  }
}

/** Renders the fields of every chunk: the upstream's model and id, else those of the request. */
export function headOf(
  { id, model }: { id: string; model: string },
  requestId: string,
  requestedModel: string,
): { modelVersion: string; responseId: string } {
  return { modelVersion: model || requestedModel, responseId: id || requestId };
}

/** Returns an id for a call to which the upstream gave none. */
export function callId(requestId: string, candidate: number, index: number): string {
  return `call_${requestId.replace(/^req_/, '')}_${candidate}_${index}`;
}
