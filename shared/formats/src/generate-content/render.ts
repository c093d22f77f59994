import type {
  AnswerChoice,
  AssistantPart,
  Ending,
  FinishEvent,
  GenerateAnswer,
  GenerateEvent,
  Usage,
} from '@model-gateway/canonical';
import { dataJson, EventReader, EventSplitter, sseEvent } from '@model-gateway/sse';
import type { AnswerRenderer, CountRenderer, RenderContext } from '../client/endpoint.ts';
import type { Framing } from '../client/parsed-request.ts';
import type { GenerateContentAnswer, GenerateContentCandidate, GenerateContentTokenCount } from './answer.ts';
import { renderFinish } from './finish.ts';
import { callId, contentOf, headOf, type Piece, Pieces, renderGrounding } from './render-parts.ts';
import { renderUsage } from './usage.ts';

export function generateContentRenderer(options: GenerateContentAnswerOptions): AnswerRenderer {
  return {
    type: 'answer',
    whole: (answer, context) => renderWhole(answer, context, options),
    stream(context) {
      const stream = new GenerateContentStream(context, options);
      return { add: event => stream.write(event) };
    },
  };
}

export const countRenderer: CountRenderer = {
  type: 'count',
  count: (tokens): GenerateContentTokenCount => ({ totalTokens: tokens }),
};

export function renderWhole(
  { start, parts, finish, more = [] }: GenerateAnswer,
  { requestId }: RenderContext,
  options: GenerateContentAnswerOptions,
): GenerateContentAnswer {
  const choices = [{ parts, end: finish }, ...more];
  return {
    candidates: choices.map((choice, index) => renderCandidate(choice, index, requestId, options)),
    usageMetadata: renderUsage(finish.usage),
    ...headOf(start, requestId, options.model),
  };
}

function renderCandidate(
  { parts: choiceParts, end }: AnswerChoice,
  index: number,
  requestId: string,
  { showThoughts }: GenerateContentAnswerOptions,
): GenerateContentCandidate {
  const pieces = new Pieces({ showThoughts, callId: call => callId(requestId, index, call) });
  const parts = [...choiceParts.flatMap((part, i) => piecesOf(pieces, part, i)), ...pieces.endAll()].reduce(
    joined,
    [],
  );
  const finish = renderFinish(end, pieces.refusal);
  const indexes = new Map(pieces.cited.length > 0 ? parts.map((part, at) => [part, at]) : []);
  const cited = pieces.cited.map(text => ({ ...text, offset: 0, partIndex: indexes.get(text.piece) ?? -1 }));
  return { ...contentOf(parts, finish), ...finish, index, ...renderGrounding(cited) };
}

function piecesOf(pieces: Pieces, part: AssistantPart, index: number): Piece[] {
  const { signature, citations } = part as { signature?: never; citations?: never };
  return [
    ...pieces.start(index, part),
    ...pieces.add(index, part.type === 'tool-call' ? part.arguments : 'text' in part ? part.text : ''),
    ...pieces.end(index, { signature, citations }),
  ];
}

/** Joins a signature that is a separate piece in a stream with the text before it. */
function joined(parts: Piece[], next: Piece): Piece[] {
  const last = parts.at(-1) as Record<string, unknown> | undefined;
  const { text, thought, thoughtSignature } = next as Record<string, unknown>;
  const signs = text === '' && thoughtSignature !== undefined;
  if (signs && typeof last?.text === 'string' && last.thought === thought && !last.thoughtSignature)
    last.thoughtSignature = thoughtSignature;
  else parts.push(next);
  return parts;
}

/**
 * Writes a response's events as chunks, each a response object. The JSON that all chunks share is rendered
 * once.
 */
class GenerateContentStream {
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
