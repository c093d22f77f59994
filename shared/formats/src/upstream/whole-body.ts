import type { GenerateEvent, VerbatimEvent } from '@model-gateway/canonical';
import { spliceTopLevel, withoutByteOrderMark } from '@model-gateway/json';
import { Pieces } from '@model-gateway/sse';
import type { Decoder } from './dialect.ts';
import { withoutError } from './loose-events.ts';
import { errorEvents } from './malformed.ts';

/** Decodes a body after all of it was received. */
export abstract class WholeBody implements Decoder {
  /** The bytes received so far. */
  readonly pieces = new Pieces();

  read(bytes: Buffer): GenerateEvent[] {
    this.pieces.add(bytes);
    return [];
  }

  end(): GenerateEvent[] {
    try {
      return this.decode(withoutByteOrderMark(this.pieces.whole()));
    } catch (thrown) {
      return errorEvents(thrown);
    }
  }

  /** @throws GatewayError for a malformed or failed response */
  protected abstract decode(bytes: Buffer): GenerateEvent[];
}

/** Returns the event that passes a non-streamed response on verbatim, but for an error of its `body` that says nothing. */
export function verbatimBody(bytes: Buffer, body?: Record<string, unknown>): VerbatimEvent {
  const sent = body?.error ? spliceTopLevel(bytes, withoutError) : bytes;
  return {
    type: 'verbatim',
    bytes: sent,
    whole: { status: 200, mediaType: 'application/json', length: sent.length },
  };
}
