import { type Turn, writeInSteps } from '@model-gateway/canonical';

/** A body that is JSON once it is sent: it may be so large that it has to be written in steps. */
export class JsonBody {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** The bytes, written at once. */
  bytes(): Buffer {
    return Buffer.from(this.toString());
  }

  /** The same bytes, written in steps. */
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
