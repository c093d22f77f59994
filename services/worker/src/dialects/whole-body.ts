import type { GenerateEvent, VerbatimEvent } from '@model-gateway/canonical';
import { Pieces } from '@model-gateway/sse';
import type { Decoder } from './dialect.ts';

/** Decodes a body once all of it is here. */
export abstract class WholeBody implements Decoder {
  /** The body as far as it is here. */
  readonly pieces = new Pieces();

  read(bytes: Buffer): GenerateEvent[] {
    this.pieces.add(bytes);
    return [];
  }

  end(): GenerateEvent[] {
    return this.decode(this.pieces.whole());
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
