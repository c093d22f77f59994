import type { VerbatimEvent } from '@model-gateway/canonical';

/** What of a stream that goes out as it came is needed to end it: little is kept, and nothing read until then. */
export class Overheard {
  #first: Uint8Array | undefined;
  /** The last bytes that began with an event. */
  #last: Uint8Array | undefined;
  #within = false;

  add({ bytes, partial = false }: VerbatimEvent): void {
    this.#first ??= bytes;
    if (!this.#within) this.#last = bytes;
    this.#within = partial;
  }

  get begun(): boolean {
    return this.#first !== undefined;
  }

  /** The response's id. */
  get id(): string | undefined {
    return /"id"\s*:\s*"(resp_[^"]+)"/.exec(textOf(this.#first))?.[1];
  }

  /** The number of the last event. */
  get number(): number {
    const numbers = [...textOf(this.#last).matchAll(/"sequence_number"\s*:\s*(\d+)/g)];
    return Number(numbers.at(-1)?.[1] ?? 0);
  }
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') : '';
}
