import type { GenerateEvent } from '@model-gateway/canonical';
import { isJsonObject, parseJsonObject } from '@model-gateway/json';

/** The upstream's id of an answer, and its name of the model. */
export interface AnswerIdentity {
  id?: string;
  model?: string;
}

/** Largest whole answer that is parsed for its id, in bytes. */
const maxParsed = 64 * 1024;
/** Longest id and name that are read, in characters. */
const maxName = 256;

/** Returns the identity in the first events of an answer, in the terms of any wire format; undefined if it is not there. */
export function answerIdentity(events: readonly GenerateEvent[]): AnswerIdentity | undefined {
  for (const event of events) {
    if (event.type === 'start') return named(event.id, event.model);
    if (event.type === 'verbatim') return passedIdentity(event.bytes);
  }
  return undefined;
}

/** Reads a whole JSON answer, or the first JSON of a stream's events. */
function passedIdentity(bytes: Uint8Array): AnswerIdentity | undefined {
  if (bytes.length > maxParsed) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = text[0] === openBrace ? text : firstData(text);
  const answer = whole && parseJsonObject(whole);
  if (!answer) return undefined;
  // An event of messages holds the head of its message, one of responses its response.
  const { message, response } = answer;
  const head = isJsonObject(message) ? message : isJsonObject(response) ? response : answer;
  return named(head.id ?? head.responseId, head.model ?? head.modelVersion);
}

const openBrace = 0x7b;

/** Returns the JSON of the first event of a stream. */
function firstData(text: Buffer): Buffer | undefined {
  const start = text.indexOf('data: {');
  if (start < 0) return undefined;
  const end = text.indexOf('\n', start);
  return end < 0 ? undefined : text.subarray(start + 'data: '.length, end);
}

function named(id: unknown, model: unknown): AnswerIdentity {
  return { ...(isName(id) && { id }), ...(isName(model) && { model }) };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxName;
}
