import { GatewayError, memberText } from '@model-gateway/canonical';
import { EventSplitter, splitEvents } from '@model-gateway/sse';
import { invalid } from '../invalid.ts';

/** Leaves out the events up to a number. */
export class EventsAfter {
  readonly #splitter = new EventSplitter();
  readonly #after: number;
  #passed: boolean;
  /** The last event that tells the response, and its number. */
  #told = '';
  #last = -1;

  constructor(after: number) {
    this.#after = after;
    this.#passed = after < 0;
  }

  push(bytes: Buffer): string {
    const whole = this.#splitter.push(bytes).toString();
    if (this.#passed) return whole;
    const events = splitEvents(whole);
    // What has no number belongs to the event before it.
    for (const event of events) this.#note(event);
    const at = events.findIndex(event => (numberOf(event) ?? -1) > this.#after);
    if (at >= 0) this.#passed = true;
    else return '';
    return events.slice(at).join('');
  }

  /**
   * What is left at the end: who saw events of a gateway that was lost before it could keep them is told how it ended.
   */
  end(): string {
    return !this.#passed && this.#last < this.#after ? this.#told : '';
  }

  #note(event: string): void {
    this.#last = numberOf(event) ?? this.#last;
    if (event.includes('"response"')) this.#told = event;
  }
}

function numberOf(event: string): number | undefined {
  const found = /"sequence_number":\s*(\d+)/.exec(event);
  return found ? Number(found[1]) : undefined;
}

/** A response of which only the first events are kept so far. */
export function renderBegun(pieces: readonly { bytes: Buffer }[]): string | undefined {
  const whole = new EventSplitter().push(Buffer.concat(pieces.map(({ bytes }) => bytes))).toString();
  for (const event of splitEvents(whole)) {
    const data = /^data: ?([^\r\n]*)/m.exec(event)?.[1];
    if (data?.includes('"response"')) return memberText(Buffer.from(data), 'response');
  }
  return undefined;
}

export function unknownResponse(id: string): GatewayError {
  return new GatewayError('not-found', `Response with id '${id.slice(0, 200)}' not found.`, {
    param: 'response_id',
  });
}

export function unstreamed(id: string): GatewayError {
  return invalid(
    'stream',
    `The events of response '${id}' are not kept: it was not made as a stream, or too long ago.`,
    'unsupported_value',
  );
}
