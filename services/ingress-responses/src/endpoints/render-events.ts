import { GatewayError, memberText } from '@model-gateway/canonical';
import { EventSplitter, splitEvents } from '@model-gateway/sse';
import { invalid } from '../format/invalid.ts';
import { Rewriter } from '../store/rewriter.ts';

/** Leaves out the events up to a number. */
export class EventsAfter {
  readonly #splitter = new EventSplitter();
  readonly #after: number;
  #passed: boolean;
  /** An event that tells the response, the last one before those that are wanted. */
  #told = '';
  /** The last events that came. */
  #tail = '';

  constructor(after: number) {
    this.#after = after;
    this.#passed = after < 0;
  }

  /** Whether events that begin with these lack none that is wanted. */
  reaches(bytes: Buffer): boolean {
    return (numberOf(bytes.toString('utf8', 0, 16_384)) ?? 0) <= this.#after + 1;
  }

  push(bytes: Buffer): string {
    const whole = this.#splitter.push(bytes).toString();
    if (whole === '') return '';
    this.#tail = whole;
    if (this.#passed && this.#told !== '') return whole;
    const events = splitEvents(whole);
    const at = this.#passed ? 0 : events.findIndex(event => (numberOf(event) ?? -1) > this.#after);
    const before = at < 0 ? events : events.slice(0, at || 1);
    this.#told = before.findLast(event => event.includes('"response"')) ?? this.#told;
    if (at < 0) return '';
    this.#passed = true;
    return events.slice(at).join('');
  }

  /**
   * What is left at the end: who saw events of a gateway that was lost before it could keep them is told how it ended.
   */
  end(): string {
    return !this.#passed && this.#last < this.#after ? this.#told : '';
  }

  /** The end of a stream of which no more comes. */
  fail(message: string): string {
    const rewriter = new Rewriter(new Map(), { first: this.#last });
    rewriter.push(this.#told);
    return rewriter.fail(message).text;
  }

  get #last(): number {
    const numbers = splitEvents(this.#tail).map(numberOf);
    return numbers.findLast(number => number !== undefined) ?? -1;
  }
}

function numberOf(event: string): number | undefined {
  const found = /"sequence_number":\s*(\d+)/.exec(event);
  return found ? Number(found[1]) : undefined;
}

/** A response of which only events are kept: as the last of them tell it. */
export function renderBegun(pieces: readonly { bytes: Buffer }[]): string | undefined {
  const whole = new EventSplitter().push(Buffer.concat(pieces.map(({ bytes }) => bytes))).toString();
  const told = splitEvents(whole).findLast(event => event.includes('"response"'));
  const data = told && /^data: ?([^\r\n]*)/m.exec(told)?.[1];
  return data && memberText(Buffer.from(data), 'response');
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
