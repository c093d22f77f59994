import {
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  noUsage,
  type Result,
  resultEvents,
  toErrorEvent,
  type Usage,
  type VerbatimEvent,
} from '@model-gateway/canonical';
import { type Edits, spliceTopLevel, withoutByteOrderMark } from '@model-gateway/json';
import { Pieces } from '@model-gateway/sse';
import { answerFailure } from './decode-openai-failure.ts';
import type { Decoder, GenerateInput } from './dialect.ts';
import { readFailure } from './failure-body.ts';
import { withoutError } from './loose-events.ts';
import { errorEvents, malformed as unreadable } from './malformed.ts';

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

/** True if the client requests a token count and the request is translated. */
export function countsTranslated({ envelope, body }: GenerateInput): boolean {
  return envelope.operation === 'count-tokens' && body === 'canonical';
}

/** Decodes an upstream's token count into a response without parts, with the count as its input usage. */
export class CountDecoder extends WholeBody {
  readonly #read: (body: unknown) => number | undefined;

  /** `read` returns the count in an upstream's response, or undefined. */
  constructor(read: (body: unknown) => number | undefined) {
    super();
    this.#read = read;
  }

  protected decode(bytes: Buffer): GenerateEvent[] {
    const input = this.#count(bytes);
    if (input === undefined)
      return [toErrorEvent(new GatewayError('upstream', 'The upstream sent a malformed token count.'))];
    const usage = { ...noUsage, input };
    return [
      { type: 'start', id: '', model: '' },
      { type: 'finish', reason: 'stop', raw: null, usage },
    ];
  }

  #count(bytes: Buffer): number | undefined {
    try {
      return this.#read(JSON.parse(bytes.toString('utf8')));
    } catch {
      return undefined;
    }
  }
}

/** The content of a non-streamed response. */
export interface ReadResult {
  result: Result;
  usage: Usage | null;
  /** False if the response is not in the requested form or lacks fields that clients read, so that it cannot be passed on; true if absent. */
  asAsked?: boolean;
  /** The fields to change in a response that is passed on. */
  edits?: Edits;
}

/** Reads a JSON body; returns undefined if it is not a response. */
export type ReadBody = (body: unknown) => ReadResult | undefined;

/** Decodes a non-streamed response: passes its bytes on verbatim, or translates them. */
export class ResultDecoder extends WholeBody {
  readonly #verbatim: boolean;
  readonly #read: ReadBody;

  constructor(verbatim: boolean, read: ReadBody) {
    super();
    this.#verbatim = verbatim;
    this.#read = read;
  }

  protected decode(bytes: Buffer): GenerateEvent[] {
    const body = parse(bytes);
    const answer = this.#read(body);
    if (!answer) return [toErrorEvent(malformed(body))];
    if (!this.#verbatim || answer.asAsked === false) return resultEvents(answer.result, answer.usage);
    const finish: FinishEvent = { type: 'finish', reason: 'stop', raw: null, usage: answer.usage };
    return [verbatimBody(answer.edits ? spliceTopLevel(bytes, answer.edits) : bytes), finish];
  }
}

/** Returns the events of a non-streamed response; undefined if the body is not a response. */
export function decodeResult(bytes: Buffer, read: ReadBody): GenerateEvent[] | undefined {
  const answer = read(parse(bytes));
  return answer && resultEvents(answer.result, answer.usage);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the error for a body that is not a response. Some upstreams fail with status 200. */
export function malformed(body: unknown): GatewayError {
  if (readFailure(body)?.message) return answerFailure(body);
  return unreadable('answer', body === undefined ? 'it is not JSON' : 'it has other fields than an answer');
}

/** Returns the time of a request in seconds since 1970, which its id begins with; 0 for another id. */
export function secondsOf(requestId: string): number {
  const [, ms = '0'] = /^req_([\da-f]{12})[\da-f]{12}$/.exec(requestId) ?? [];
  return Math.floor(Number.parseInt(ms, 16) / 1000);
}
