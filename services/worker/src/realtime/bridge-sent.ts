import { isUtf8 } from 'node:buffer';
import type { Message } from '@model-gateway/bus';
import {
  ambiguousKey,
  duplicateKey,
  isJsonObject,
  KnownFields,
  memberText,
  parseJsonObject,
  spliceTopLevel,
  topLevelSpans,
} from '@model-gateway/json';

export interface Names {
  client: string;
  upstream: string;
}

/** A message to pass upstream, or the error event that refuses it. */
export type Sent = { pass: Message } | { refuse: string };

/** Audio, sent many times a second: it names no model and is passed on unparsed. */
const audio =
  /^\s*\{(?:"event_id":"[\w-]{0,200}",)?"type":"input_audio_buffer\.append",(?:"event_id":"[\w-]{0,200}",)?"audio":"[\w+/=-]*"(?:,"event_id":"[\w-]{0,200}")?\}\s*$/;

/** The fields that decide which model an event asks for. */
const eventFields = new KnownFields(['type', 'session', 'response']);
const modelField = new KnownFields(['model']);

/** The beginning of an event, with an optional byte order mark. */
const beginning = /^(?:\xef\xbb\xbf)?\s*\{/;

/**
 * Converts a client's message for the upstream. A model in it must be the session's: the token was checked
 * for no other. Invalid JSON and ambiguous keys are refused, since the upstream might parse them differently.
 */
export function toUpstream(message: Message, names: Names): Sent {
  const data = Buffer.from(message.data.buffer, message.data.byteOffset, message.data.length);
  const text = data.toString('latin1');
  // Binary audio may begin like an event, but is not UTF-8.
  if (!message.text && !(beginning.test(text) && isUtf8(data))) return { pass: message };
  if (audio.test(text)) return { pass: message };
  const event = parseJsonObject(data);
  if (!event)
    return { refuse: errorEvent('The message is not a valid JSON object.', null, null, 'invalid_json') };
  const twice = duplicateKey(topLevelSpans(text));
  if (twice !== undefined) return refuse(event, twice, `The event contains the key '${twice}' twice.`);
  const ambiguous = ambiguousKey(Object.keys(event), eventFields);
  if (ambiguous) return refuse(event, ambiguous.key, `The event ${ambiguous.words}.`);
  return renamed(message, data, event, names);
}

function renamed(message: Message, data: Buffer, event: Record<string, unknown>, names: Names): Sent {
  let bytes = data;
  for (const field of ['session', 'response']) {
    const value = event[field];
    if (!isJsonObject(value)) continue;
    const inner = Buffer.from(memberText(data, field) as string);
    const twice = duplicateKey(topLevelSpans(inner.toString('latin1')));
    if (twice !== undefined)
      return refuse(event, `${field}.${twice}`, `The event contains the key '${field}.${twice}' twice.`);
    const ambiguous = ambiguousKey(Object.keys(value), modelField);
    if (ambiguous)
      return refuse(event, `${field}.${ambiguous.key}`, `The event's ${field} ${ambiguous.words}.`);
    if (!('model' in value)) continue;
    if (value.model !== names.client)
      return refuse(
        event,
        `${field}.model`,
        `The session's model is '${names.client}' and cannot be changed.`,
      );
    const edited = spliceTopLevel(inner, new Map([['model', JSON.stringify(names.upstream)]]));
    bytes = spliceTopLevel(bytes, new Map([[field, edited.toString()]]));
  }
  return { pass: bytes === data ? message : { data: bytes, text: message.text } };
}

function refuse({ event_id: id }: Record<string, unknown>, param: string, message: string): Sent {
  return { refuse: errorEvent(message, param, typeof id === 'string' ? id : null) };
}

let count = 0;

/** Returns an error event, which leaves the session open; `eventId` is that of the client's event. */
function errorEvent(
  message: string,
  param: string | null,
  eventId: string | null,
  code = 'invalid_value',
): string {
  const error = { type: 'invalid_request_error', code, message, param, event_id: eventId };
  return JSON.stringify({ type: 'error', event_id: `event_gateway_${++count}`, error });
}
