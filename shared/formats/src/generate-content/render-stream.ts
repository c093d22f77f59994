import type { Ending, FinishEvent, GenerateEvent, Usage } from '@model-gateway/canonical';
import { dataJson, EventReader, EventSplitter, sseEvent } from '@model-gateway/sse';
import type { RenderContext } from '../client/endpoint.ts';
import type { Framing } from '../client/parsed-request.ts';
import type { GenerateContentCandidate } from './answer.ts';
import { renderFinish } from './finish.ts';
import { callId, headOf, renderGrounding } from './render-content.ts';
import { contentOf, type Piece, Pieces } from './render-parts.ts';
import { renderUsage } from './usage.ts';

/**
 * Writes a response's events as chunks, each a response object. The JSON that all chunks share is rendered
 * once.
 */
export class GenerateContentStream {
  readonly #requestId: string;
  readonly #options: GenerateContentAnswerOptions;
  readonly #candidates: Pieces[] = [];
  #tail = '';
  #usage: Usage | null = null;

  constructor({ requestId }: RenderContext, options: GenerateContentAnswerOptions) {
    this.#requestId = requestId;
    this.#options = options;
    this.#identify({ id: '', model: '' });
  }

  write(event: GenerateEvent): string {
    switch (event.type) {
      case 'start':
        this.#usage = event.usage ?? null;
        this.#identify(event);
        return '';
      case 'part-start':
        return this.#chunks(event, this.#candidate(event).start(event.index, event.part));
      case 'part-delta':
        return this.#chunks(event, this.#candidate(event).add(event.index, event.text));
      case 'part-end':
        return this.#chunks(event, this.#candidate(event).end(event.index, event));
      case 'choice-end':
        return this.#end(event.choice, event);
      case 'finish':
        return this.#end(0, event);
      case 'verbatim':
      case 'audio':
      case 'result':
      case 'error':
        return '';
    }
  }

  #identify(start: { id: string; model: string }): void {
    this.#tail = dataJson(headOf(start, this.#requestId, this.#options.model)).slice(1);
  }

  #candidate({ choice = 0 }: { choice?: number }): Pieces {
    const { showThoughts } = this.#options;
    this.#candidates[choice] ??= new Pieces({
      showThoughts,
      callId: index => callId(this.#requestId, choice, index),
    });
    return this.#candidates[choice];
  }

  #chunks({ choice = 0 }: { choice?: number }, pieces: Piece[]): string {
    let chunks = '';
    // Most chunks of a stream are such ones: they make no object.
    for (const piece of pieces)
      chunks += sseEvent(
        `{"candidates":[{"content":{"role":"model","parts":[${dataJson(piece)}]},"index":${choice}}],${this.#tail}`,
      );
    return chunks;
  }

  /**
   * Writes a candidate's last chunk with its finish reason. The first candidate ends last and has the usage
   * of all.
   */
  #end(index: number, ending: Ending | FinishEvent): string {
    const pieces = this.#candidate({ choice: index });
    const rest = pieces.endAll();
    const finish = renderFinish(ending, pieces.refusal);
    const last = contentOf(rest.slice(-1), finish);
    const usage = 'usage' in ending ? { usageMetadata: renderUsage(ending.usage ?? this.#usage) } : {};
    return (
      this.#chunks({ choice: index }, rest.slice(0, -1)) +
      this.#chunk({ ...last, ...finish, index, ...renderGrounding(pieces.cited) }, usage)
    );
  }

  #chunk(candidate: GenerateContentCandidate, more: object = {}): string {
    return sseEvent(`${dataJson({ candidates: [candidate], ...more }).slice(0, -1)},${this.#tail}`);
  }
}

/** Frames a stream as one JSON array with each event's data as an element: the framing without `alt=sse`. */
export class ArrayFraming implements Framing {
  readonly mediaType = 'application/json; charset=utf-8';
  readonly #splitter = new EventSplitter();
  readonly #reader = new EventReader();
  #begun = false;

  write(sse: string | Uint8Array): string {
    const bytes =
      typeof sse === 'string' ? Buffer.from(sse) : Buffer.from(sse.buffer, sse.byteOffset, sse.length);
    const events = this.#reader.read(this.#splitter.push(bytes));
    return events.map(({ data }) => this.#before() + data).join('');
  }

  end(): string {
    return this.#begun ? '\n]' : '[]';
  }

  #before(): string {
    const before = this.#begun ? '\n,\n' : '[';
    this.#begun = true;
    return before;
  }
}

/** The fields of a request that affect how its response is rendered. */
export interface GenerateContentAnswerOptions {
  /** The model name of the request, for upstreams that send none. */
  model: string;
  /** True if the client requested thoughts. */
  showThoughts: boolean;
}
