import type { Ending, FinishEvent, GenerateEvent, PartEndEvent, PartStart, StartEvent } from './event.ts';
import type { AssistantPart } from './generate.ts';

/** A complete answer, assembled from its events. */
export interface GenerateAnswer {
  start: StartEvent;
  /** Parts of the first choice. */
  parts: AssistantPart[];
  finish: FinishEvent;
  /** The choices after the first, in order; absent if there is only one. */
  more?: AnswerChoice[];
}

/** A further choice of an answer. */
export interface AnswerChoice {
  parts: AssistantPart[];
  end: Ending;
}

interface OpenPart {
  part: PartStart;
  text: string[];
  end?: PartEndEvent;
}

/** Assembles an answer from its events; each `start` discards the events before it. */
export class AnswerFold {
  #start: StartEvent | undefined;
  /** The parts of each choice. */
  #choices: OpenPart[][] = [[]];
  #ends: Ending[] = [];

  /** Adds an event; returns the answer once `finish` is added. Ignores `verbatim`, `audio`, `result` and `error`. */
  add(event: GenerateEvent): GenerateAnswer | undefined {
    switch (event.type) {
      case 'start':
        this.#start = event;
        this.#choices = [[]];
        this.#ends = [];
        return undefined;
      case 'part-start':
        this.#parts(event)[event.index] = { part: event.part, text: [] };
        return undefined;
      case 'part-delta':
        this.#parts(event)[event.index]?.text.push(event.text);
        return undefined;
      case 'part-end': {
        const open = this.#parts(event)[event.index];
        if (open) open.end = event;
        return undefined;
      }
      case 'choice-end': {
        const { type: _, choice, ...end } = event;
        this.#ends[choice] = end;
        return undefined;
      }
      case 'finish':
        return this.#whole(event);
      case 'verbatim':
      case 'audio':
      case 'result':
      case 'error':
        return undefined;
    }
  }

  #parts({ choice = 0 }: { choice?: number }): OpenPart[] {
    this.#choices[choice] ??= [];
    return this.#choices[choice];
  }

  #whole(finish: FinishEvent): GenerateAnswer {
    const start = this.#start ?? { type: 'start', id: '', model: '' };
    // A choice may have no parts, but it always has an end.
    // One that the upstream left out is a hole in the list, which is skipped.
    const more = this.#ends.flatMap((end, choice) => [{ parts: closed(this.#choices[choice]), end }]);
    return { start, parts: closed(this.#choices[0]), finish, ...(more.length > 0 && { more }) };
  }
}

function closed(parts: readonly OpenPart[] = []): AssistantPart[] {
  return parts.map(close);
}

function close({ part, text, end }: OpenPart): AssistantPart {
  const joined = text.join('');
  const signature = end?.signature;
  switch (part.type) {
    case 'text':
      return {
        type: 'text',
        text: joined,
        ...(end?.citations && { citations: end.citations }),
        ...(signature && { signature }),
      };
    case 'refusal':
      return { type: 'refusal', text: joined };
    case 'reasoning':
      return { ...part, text: joined, ...(signature && { signature }) };
    case 'tool-call':
      return { ...part, arguments: joined, ...(signature && { signature }) };
    case 'media':
    case 'opaque':
      return part;
  }
}
