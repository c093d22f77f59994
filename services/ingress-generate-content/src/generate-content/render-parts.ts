import type { PartEndEvent, PartStart } from '@model-gateway/canonical';
import type { GenerateContentAnswerPart, GenerateContentCandidate } from '@model-gateway/wire';
import {
  type CitedText,
  renderCall,
  renderMedia,
  renderProof,
  thoughtOf,
  WaitingProof,
} from './render-content.ts';
import type { Finish } from './render-finish.ts';

export type Piece = GenerateContentAnswerPart | Record<string, unknown>;
type PartEnd = Pick<PartEndEvent, 'signature' | 'citations'>;

/** A part that is not yet wholly written. */
interface Waiting {
  part: PartStart;
  /** Its index, for calls without an id. */
  index: number;
  /** Text that came and was not written. */
  unwritten: string;
  /** All of a text part's text that was. */
  text: string;
  /** Of a text part: the first of its pieces, and where that begins in the candidate's text, in bytes. */
  piece?: Piece;
  offset?: number;
  ended: boolean;
  end?: PartEnd;
}

export interface PiecesOptions {
  showThoughts: boolean;
  /** An id for the call at this index, if it has none. */
  callId(index: number): string;
}

/**
 * Writes one candidate's parts as pieces, to be put one after the other. Text comes as it is told; a call is one piece, so
 * that it waits for all of its arguments, and what began after it waits for it.
 */
export class Pieces {
  readonly #options: PiecesOptions;
  /** In the order in which they began. */
  readonly #waiting = new Map<number, Waiting>();
  readonly #proof = new WaitingProof();
  /** Bytes of text so far. */
  #bytes = 0;
  readonly cited: (CitedText & { piece: Piece })[] = [];
  /** What the model said in place of an answer. */
  refusal = '';

  constructor(options: PiecesOptions) {
    this.#options = options;
  }

  start(index: number, part: PartStart): Piece[] {
    this.#waiting.set(index, { part, index, unwritten: '', text: '', ended: false });
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

  /** The candidate is over: what is left of it. */
  endAll(): Piece[] {
    for (const waiting of this.#waiting.values()) waiting.ended = true;
    return [...this.#advance(), ...this.#proof.alone()];
  }

  /** Writes what the first part has, and goes on to the next if it is over. */
  #advance(): Piece[] {
    const pieces: Piece[] = [];
    for (const [index, waiting] of this.#waiting) {
      pieces.push(...this.#write(waiting));
      if (!waiting.ended) break;
      pieces.push(...this.#close(waiting));
      this.#waiting.delete(index);
    }
    return pieces;
  }

  /** The text that has come of a part; what comes whole is written with its end. */
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
        return this.#options.showThoughts ? [...this.#proof.alone(), { text: unwritten, thought: true }] : [];
      default:
        return [];
    }
  }

  #textPiece(waiting: Waiting, text: string): Piece {
    const piece = { text, ...this.#proof.take() };
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
        return signature ? [...this.#proof.alone(), { text: '', ...renderProof(signature) }] : [];
      }
      case 'reasoning':
        return this.#closeThought(waiting);
      case 'tool-call': {
        const call = renderCall(part.id || this.#options.callId(waiting.index), part.name, waiting.unwritten);
        if (!signature) return [{ ...call, ...this.#proof.take() }];
        return [...this.#proof.alone(), { ...call, ...renderProof(signature) }];
      }
      case 'media':
        return [...this.#proof.alone(), renderMedia(part)];
      case 'opaque':
        // What another vendor did for itself, such as a search, is no part of what it says.
        return part.format === 'generate-content' ? [...this.#proof.alone(), part.value] : [];
      case 'refusal':
        return [];
    }
  }

  #closeThought({ part, end }: Waiting): Piece[] {
    const signature = end?.signature;
    if (!signature) return [];
    const before = this.#proof.alone();
    const redacted = 'redacted' in part && part.redacted;
    if (redacted || signature.format === 'generate-content')
      return [...before, thoughtOf(signature, redacted)];
    this.#proof.wait(signature);
    return before;
  }
}

/** The content that ends a candidate: clients take one without a part for broken, but not where the answer was refused. */
export function contentOf(
  parts: Piece[],
  { finishReason }: Finish,
): Pick<GenerateContentCandidate, 'content'> {
  const refused = parts.length === 0 && finishReason !== 'STOP' && finishReason !== 'MAX_TOKENS';
  return refused ? {} : { content: { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] } };
}
