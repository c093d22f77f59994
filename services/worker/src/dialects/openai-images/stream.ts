import { sumUsage, type Usage } from '@model-gateway/canonical';
import type { EventData, Understood } from '../passed-events.ts';
import { readUsage } from './decode.ts';

/**
 * Counts the images of a stream that are complete. The format has no end mark: a stream that ends in good order after at
 * least one is whole.
 */
export class ImageEvents implements Understood {
  readonly marked = false;
  readonly #expected: number;
  /** Of each complete image. */
  readonly #usages: Usage[] = [];

  /** `expected` is how many images were asked for. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  get complete(): boolean {
    return this.#usages.length >= this.#expected;
  }

  get enough(): boolean {
    return this.#usages.length > 0;
  }

  get usage(): Usage | null {
    const [first] = this.#usages;
    return this.#usages.length > 1 ? sumUsage(this.#usages) : (first ?? null);
  }

  /** Images on the way are megabytes that nobody needs to parse. */
  skips(name: string): boolean {
    return name.endsWith('.partial_image');
  }

  note({ type, usage }: EventData, name: string): void {
    if (String(type ?? name).endsWith('.completed')) this.#usages.push(readUsage(usage, 1));
  }
}
