import type { ChoiceEndEvent, GenerateEvent, StartEvent, Usage } from '@model-gateway/canonical';
import { type Endings, readUsage } from './decode-finish.ts';
import { Parts, type PartsOptions } from './decode-parts.ts';
import type { GenerateContentUpstreamAnswer } from './upstream-answer.ts';

export interface CandidatesOptions extends PartsOptions {
  /** The number of candidates requested. */
  choices: number;
}

/** Turns chunks into events, candidate by candidate. */
export class Candidates {
  readonly #options: CandidatesOptions;
  readonly #candidates = new Map<number, Parts>();
  /** Held back until the response has a part, so that failover stays possible until then. */
  #start: StartEvent | undefined;
  #begun = false;

  constructor(options: CandidatesOptions) {
    this.#options = options;
  }

  /** @throws GatewayError for a malformed part */
  add({
    candidates,
    responseId,
    modelVersion,
    usageMetadata,
  }: GenerateContentUpstreamAnswer): GenerateEvent[] {
    this.#start ??= {
      type: 'start',
      id: responseId ?? '',
      model: modelVersion ?? '',
      ...(usageMetadata && { usage: readUsage(usageMetadata) }),
    };
    const events = (candidates ?? []).flatMap(({ index, content, groundingMetadata: grounding }) => {
      const number = index ?? 0;
      if (number >= this.#options.choices) return [];
      const parts = this.#parts(number);
      const partEvents = (content?.parts ?? []).flatMap(part => parts.add(part));
      if (grounding) parts.ground(grounding);
      return withChoice(number, partEvents);
    });
    return events.length > 0 ? this.#begin(events) : events;
  }

  /** Ends the candidates and the response. */
  end(endings: Endings, usage: Usage | null): GenerateEvent[] {
    const first = endings.of(0);
    const events = [...this.#candidates].flatMap(([choice, parts]) => {
      const end: ChoiceEndEvent[] = choice > 0 ? [{ type: 'choice-end', choice, ...endings.of(choice) }] : [];
      return [...withChoice(choice, parts.end()), ...end];
    });
    return this.#begin([...events, { type: 'finish', ...first, usage }]);
  }

  #parts(number: number): Parts {
    const found = this.#candidates.get(number);
    if (found) return found;
    const { seed } = this.#options;
    const parts = new Parts({ ...this.#options, seed: number === 0 ? seed : `${seed}.${number}` });
    this.#candidates.set(number, parts);
    return parts;
  }

  /** Puts the start event before the first part. */
  #begin(events: GenerateEvent[]): GenerateEvent[] {
    if (this.#begun) return events;
    this.#begun = true;
    return [this.#start ?? { type: 'start', id: '', model: '' }, ...events];
  }
}

function withChoice(choice: number, events: GenerateEvent[]): GenerateEvent[] {
  return choice === 0 ? events : events.map(event => ({ ...event, choice }) as GenerateEvent);
}
