import { GatewayError } from '@model-gateway/canonical';
import { invalid } from '@model-gateway/formats/responses';
import { memberText } from '@model-gateway/json';
import { EventSplitter, splitEvents } from '@model-gateway/sse';
import { Rewriter, responseEvent } from '../store/rewriter.ts';

/** Drops the events up to and including a sequence number. */
export class EventsAfter {
  readonly #splitter = new EventSplitter();
  readonly #after: number;
  #passed: boolean;
  /** The last event with a response object before the requested events. */
  #lastResponse = '';
  /** The number of the last event. */
  #last = -1;

  constructor(after: number) {
    this.#after = after;
    this.#passed = after < 0;
  }

  /** True if a stream that begins with `bytes` contains all requested events. */
  reaches(bytes: Buffer): boolean {
    return (numberOf(bytes.toString('utf8', 0, 16_384)) ?? 0) <= this.#after + 1;
  }

  push(bytes: Buffer): string {
    const whole = this.#splitter.push(bytes).toString();
    if (whole === '') return '';
    this.#last = lastNumber(whole) ?? this.#last;
    if (this.#passed && this.#lastResponse !== '') return whole;
    const events = splitEvents(whole);
    const at = this.#passed ? 0 : events.findIndex(event => (numberOf(event) ?? -1) > this.#after);
    const before = at < 0 ? events : events.slice(0, at || 1);
    this.#lastResponse = before.findLast(event => event.includes('"response"')) ?? this.#lastResponse;
    if (at < 0) return '';
    this.#passed = true;
    // From here on, only a failure needs it.
    this.#lastResponse = shortened(this.#lastResponse);
    return events.slice(at).join('');
  }

  /** The bytes that are held between pushes. */
  get held(): number {
    return this.#splitter.held + this.#lastResponse.length;
  }

  /**
   * Returns the final event if the client has received more events than are stored. This occurs when a
   * gateway process was lost before it stored all events that it sent.
   */
  end(): string {
    return !this.#passed && this.#last < this.#after ? this.#lastResponse : '';
  }

  /** Renders the end of a stream whose remaining events are missing. */
  fail(message: string): string {
    const rewriter = new Rewriter(new Map(), { first: this.#last });
    rewriter.push(this.#lastResponse);
    return rewriter.fail(message).text;
  }
}

/** The size of an event from which on only the id of its response is kept, in characters. */
const longEvent = 64 * 1024;

/** Returns an event with a response object; of a long one, with the id of the response alone. */
function shortened(event: string): string {
  if (event.length <= longEvent) return event;
  const data = /^data: ?([^\r\n]*)/m.exec(event)?.[1] ?? '{}';
  const response = memberText(Buffer.from(data), 'response') ?? '{}';
  const id = memberText(Buffer.from(response), 'id') ?? 'null';
  return responseEvent('response.in_progress', `{"id":${id},"object":"response"}`, numberOf(event) ?? 0);
}

/** Returns the number of the last event in a text of whole events that has one. */
function lastNumber(events: string): number | undefined {
  for (let end = events.length; end > 0; ) {
    const before = events.lastIndexOf('\n\n', end - 3);
    const start = before < 0 ? 0 : before + 2;
    const number = numberOf(events.slice(start, end));
    if (number !== undefined) return number;
    end = start;
  }
  return undefined;
}

function numberOf(event: string): number | undefined {
  const found = /"sequence_number":\s*(\d+)/.exec(event);
  return found ? Number(found[1]) : undefined;
}

/** Returns the response in the last of the stored events, for a response of which only events are stored. */
export async function renderBegun(pieces: AsyncIterable<{ bytes: Buffer }>): Promise<string | undefined> {
  const splitter = new EventSplitter();
  let last: string | undefined;
  for await (const { bytes } of pieces) {
    const whole = splitter.push(bytes).toString();
    if (whole.includes('"response"'))
      last = splitEvents(whole).findLast(event => event.includes('"response"')) ?? last;
  }
  const data = last && /^data: ?([^\r\n]*)/m.exec(last)?.[1];
  return data && memberText(Buffer.from(data), 'response');
}

export function unknownResponse(id: string): GatewayError {
  return new GatewayError('not-found', `Response with id '${id.slice(0, 200)}' not found.`, {
    param: 'response_id',
  });
}

export function eventsNotStored(id: string): GatewayError {
  return invalid(
    'stream',
    `The events of response '${id}' are not stored: it was not streamed, or its events have expired.`,
    'unsupported_value',
  );
}
