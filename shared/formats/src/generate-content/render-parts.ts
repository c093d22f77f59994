import type { PartEndEvent, PartStart } from '@model-gateway/canonical';
import { PartQueue } from '../client/answer-parts.ts';
import type { GenerateContentAnswerPart, GenerateContentCandidate } from './answer.ts';
import type { GenerateContentFinish } from './finish.ts';
import {
  type CitedText,
  PendingSignature,
  renderCall,
  renderMedia,
  renderSignature,
  thoughtOf,
} from './render-content.ts';

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
