import { type Turn, writeInSteps } from '@model-gateway/json';

/** A JSON body that is serialized when it is sent; a large one in steps. */
export class JsonBody {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** Serializes the body at once. */
  bytes(): Buffer {
    return Buffer.from(this.toString());
  }

  /** Serializes the body to the same bytes in steps. */
  async bytesInSteps(turn: Turn): Promise<Buffer> {
    const pieces = await writeInSteps(this.#value, turn);
    if (pieces.length === 1) return pieces[0] as Buffer;
    await turn();
    return Buffer.concat(pieces);
  }

  toString(): string {
    return JSON.stringify(this.#value);
  }
}
