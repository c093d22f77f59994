import type { GenerateEvent, StartEvent, Usage } from '@model-gateway/canonical';
import type { ResponsesStreamEvent, ResponsesUpstreamAnswer } from '@model-gateway/wire';
import { decodeEnding, type Over } from '../ending/decode.ts';
import { Items, type ItemsOptions } from '../items/decode.ts';

type Known = Partial<ResponsesUpstreamAnswer>;

/** Makes events of an answer: its start, the parts of its items, its end. */
export class Answer {
  readonly #items: Items;
  #begun = false;

  constructor(options: ItemsOptions) {
    this.#items = new Items(options);
  }

  /** What is known of the answer as it begins. */
  begin({ id, model }: Known): GenerateEvent[] {
    if (this.#begun) return [];
    this.#begun = true;
    const start: StartEvent = { type: 'start', id: id ?? '', model: model ?? '' };
    return [start];
  }

  add(event: ResponsesStreamEvent): GenerateEvent[] {
    const events = this.#items.take(event);
    return events.length > 0 ? [...this.begin({}), ...events] : events;
  }

  end(over: Over, response: Known, usage: Usage | null): GenerateEvent[] {
    const left = this.#items.end(response.output ?? []);
    const ending = decodeEnding(over, response, this.#items);
    return [...this.begin(response), ...left, { type: 'finish', ...ending, usage }];
  }
}
