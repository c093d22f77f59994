import {
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  type Result,
  resultEvents,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { readFailure } from './failure-body.ts';
import { asItCame, WholeBody } from './whole-body.ts';

/** What an upstream's answer of one piece says. */
export interface ReadResult {
  result: Result;
  usage: Usage | null;
  /** Whether it is written as it was asked for, so that it may go on as it came; it is where absent. */
  asAsked?: boolean;
}

/** Finds what a JSON body says; undefined for what is no answer. */
export type ReadBody = (body: unknown) => ReadResult | undefined;

/** Reads an answer of one piece: gives its bytes on as they came, or what they say. */
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
    return [asItCame(bytes), finish];
  }
}

/** The events of an answer of one piece; undefined for what is no answer. */
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

/** Some upstreams fail with status 200. */
export function malformed(body: unknown): GatewayError {
  const { message = 'The upstream sent a malformed answer.' } = readFailure(body) ?? {};
  return new GatewayError('upstream', message);
}
