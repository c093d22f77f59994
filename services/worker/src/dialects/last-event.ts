import type { Usage } from '@model-gateway/canonical';
import type { EventData, Understood } from './passed-events.ts';

/** A stream whose answer is whole with an event of one type, or with the mark where servers have no such event. */
export class LastEvent implements Understood {
  readonly marked = true;
  readonly #type: string;
  readonly #usageIn: (data: EventData) => Usage | null;
  #complete = false;
  #usage: Usage | null = null;

  /** `usageIn` is what an event says was used, if anything. */
  constructor(type: string, usageIn: (data: EventData) => Usage | null) {
    this.#type = type;
    this.#usageIn = usageIn;
  }

  get complete(): boolean {
    return this.#complete;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  note(data: EventData): void {
    this.#complete ||= data.type === this.#type;
    this.#usage = this.#usageIn(data) ?? this.#usage;
  }
}
