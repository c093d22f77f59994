import {
  type ChoiceEndEvent,
  GatewayError,
  type GenerateEvent,
  type StartEvent,
  type Usage,
} from '@model-gateway/canonical';
import type { GenerateContentUpstreamAnswer } from '@model-gateway/wire';
import { type Endings, readUsage } from './decode-finish.ts';
import { Parts, type PartsOptions } from './decode-parts.ts';

export interface CandidatesOptions extends PartsOptions {
  /** How many were asked for. */
  choices: number;
}

/** Makes events of what chunks add to each candidate. */
export class Candidates {
  readonly #options: CandidatesOptions;
  readonly #candidates = new Map<number, Parts>();
  /** Kept back until the answer has a part, so that another upstream can be asked if it never does. */
  #start: StartEvent | undefined;
  #begun = false;

  constructor(options: CandidatesOptions) {
    this.#options = options;
  }

  /** @throws GatewayError for a part that is broken */
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
      const added = (content?.parts ?? []).flatMap(part => parts.add(part));
      if (grounding) parts.ground(grounding);
      return ofChoice(number, added);
    });
    return events.length > 0 ? this.#begin(events) : events;
  }

  /** Ends every candidate, and the answer. @throws GatewayError for one that came to nothing, and not by choice */
  end(endings: Endings, usage: Usage | null): GenerateEvent[] {
    const first = endings.of(0);
    const empty = ![...this.#candidates.values()].some(parts => parts.any);
    if (empty && first.reason === 'other')
      throw new GatewayError('upstream', `The upstream gave no answer, but the reason ${first.raw}.`);
    const events = [...this.#candidates].flatMap(([choice, parts]) => {
      const end: ChoiceEndEvent[] = choice > 0 ? [{ type: 'choice-end', choice, ...endings.of(choice) }] : [];
      return [...ofChoice(choice, parts.end()), ...end];
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

  /** The answer's start goes before its first part. */
  #begin(events: GenerateEvent[]): GenerateEvent[] {
    if (this.#begun) return events;
    this.#begun = true;
    return [this.#start ?? { type: 'start', id: '', model: '' }, ...events];
  }
}

function ofChoice(choice: number, events: GenerateEvent[]): GenerateEvent[] {
  return choice === 0 ? events : events.map(event => ({ ...event, choice }) as GenerateEvent);
}
