import type { FinishEvent, GenerateEvent, PartStart, StartEvent } from './event.ts';
import type { AssistantPart, Signature } from './part.ts';

/** A whole answer: what the run of its events adds up to. */
export interface GenerateAnswer {
  start: StartEvent;
  parts: AssistantPart[];
  finish: FinishEvent;
}

interface OpenPart {
  part: PartStart;
  text: string[];
  signature?: Signature;
}

/** Adds up an answer's events. */
export class AnswerFold {
  #start: StartEvent | undefined;
  readonly #parts: OpenPart[] = [];

  /** Takes one event; the answer once it is `finish`. `verbatim` and `error` are no parts of a fold. */
  add(event: GenerateEvent): GenerateAnswer | undefined {
    switch (event.type) {
      case 'start':
        this.#start = event;
        return undefined;
      case 'part-start':
        this.#parts[event.index] = { part: event.part, text: [] };
        return undefined;
      case 'part-delta':
        this.#parts[event.index]?.text.push(event.text);
        return undefined;
      case 'part-end': {
        const open = this.#parts[event.index];
        if (open && event.signature) open.signature = event.signature;
        return undefined;
      }
      case 'finish':
        return {
          start: this.#start ?? { type: 'start', id: '', model: '' },
          parts: this.#parts.map(close),
          finish: event,
        };
      case 'verbatim':
      case 'error':
        return undefined;
    }
  }
}

function close({ part, text, signature }: OpenPart): AssistantPart {
  const joined = text.join('');
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: part.type, text: joined };
    case 'reasoning':
      return { ...part, text: joined, ...(signature && { signature }) };
    case 'tool-call':
      return { ...part, arguments: joined, ...(signature && { signature }) };
    case 'media':
    case 'opaque':
      return part;
  }
}
