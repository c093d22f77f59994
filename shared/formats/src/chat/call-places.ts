import { Appearance } from '../upstream/appearance.ts';
import type { ChatChunkChoice } from './answer.ts';

/** Numbers the calls of each choice from 0, as clients expect. */
export class CallPlaces {
  readonly #choices = new Map<number, Appearance>();

  /** Sets the index of each call. Returns true if another one was sent. */
  place(choices: readonly ChatChunkChoice[]): boolean {
    let isOther = false;
    for (const { index, delta } of choices)
      for (const call of delta?.tool_calls ?? []) {
        if (typeof call.index !== 'number') continue;
        const place = this.#of(index ?? 0).of(call.index);
        isOther ||= place !== call.index;
        call.index = place;
      }
    return isOther;
  }

  #of(choice: number): Appearance {
    const found = this.#choices.get(choice);
    if (found) return found;
    const appearance = new Appearance();
    this.#choices.set(choice, appearance);
    return appearance;
  }
}
