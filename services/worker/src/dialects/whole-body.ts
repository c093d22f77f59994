import type { GenerateEvent, VerbatimEvent } from '@model-gateway/canonical';
import type { Decoder } from './dialect.ts';

/** Decodes a body once all of it is here. */
export abstract class WholeBody implements Decoder {
  readonly #chunks: Buffer[] = [];

  read(bytes: Buffer): GenerateEvent[] {
    this.#chunks.push(bytes);
    return [];
  }

  /** The body as far as it is here. */
  get body(): Buffer {
    const [only] = this.#chunks;
    return only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
  }

  end(): GenerateEvent[] {
    return this.decode(this.body);
  }

  protected abstract decode(bytes: Buffer): GenerateEvent[];
}

/** A whole answer, byte for byte. */
export function asItCame(bytes: Buffer): VerbatimEvent {
  return {
    type: 'verbatim',
    bytes,
    whole: { status: 200, mediaType: 'application/json', length: bytes.length },
  };
}
