import {
  type FinishEvent,
  type GatewayError,
  type GenerateEvent,
  type Result,
  resultEvents,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { type Edits, spliceTopLevel } from '@model-gateway/json';
import { answerFailure } from './decode-openai-failure.ts';
import { readFailure } from './failure-body.ts';
import { malformed as unreadable } from './malformed.ts';
import { verbatimBody, WholeBody } from './whole-body.ts';

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
