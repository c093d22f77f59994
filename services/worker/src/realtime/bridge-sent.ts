import { isUtf8 } from 'node:buffer';
import type { Message } from '@model-gateway/bus';
import { duplicateKey, memberText, spliceTopLevel, topLevelSpans } from '@model-gateway/canonical';
import { isObject, readObject } from './read-object.ts';

/** The model's names: the client's, and the upstream's. */
export interface Names {
  client: string;
  upstream: string;
}

/** What becomes of a client's message: it goes upstream, or is answered with an error event. */
export type Sent = { pass: Message } | { refuse: string };

/** Audio as clients send it, many times a second: it names no model, and is passed on unread. */
const audio =
  /^\s*\{(?:"event_id":"[\w-]{0,200}",)?"type":"input_audio_buffer\.append",(?:"event_id":"[\w-]{0,200}",)?"audio":"[\w+/=-]*"(?:,"event_id":"[\w-]{0,200}")?\}\s*$/;

/** How an event begins, a mark of its byte order before it. */
const beginning = /^(?:\xef\xbb\xbf)?\s*\{/;

/**
 * A client's message as it goes upstream. Wherever it names a model, that must be the session's own: the token was checked
 * for no other. What cannot be read, or reads in two ways, goes nowhere, since the upstream might read it otherwise.
 */
export function toUpstream(message: Message, names: Names): Sent {
  const data = Buffer.from(message.data.buffer, message.data.byteOffset, message.data.length);
  const text = data.toString('latin1');
  // Audio may begin as an event does, and is no text all the same.
  if (!message.text && !(beginning.test(text) && isUtf8(data))) return { pass: message };
  if (audio.test(text)) return { pass: message };
  const event = readObject(data);
  if (!event)
    return { refuse: errorEvent('The message is not a valid JSON object.', null, null, 'invalid_json') };
  const twice = duplicateKey(topLevelSpans(text));
  if (twice !== undefined) return refuse(event, twice, `The event names '${twice}' twice.`);
  return renamed(message, data, event, names);
}

function renamed(message: Message, data: Buffer, event: Record<string, unknown>, names: Names): Sent {
  let bytes = data;
  for (const field of ['session', 'response']) {
    const value = event[field];
    if (!isObject(value)) continue;
    const inner = Buffer.from(memberText(data, field) as string);
    const twice = duplicateKey(topLevelSpans(inner.toString('latin1')));
    if (twice !== undefined)
      return refuse(event, `${field}.${twice}`, `The event names '${field}.${twice}' twice.`);
    if (!('model' in value)) continue;
    if (value.model !== names.client)
      return refuse(
        event,
        `${field}.model`,
        `The session's model is '${names.client}', and cannot be changed.`,
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

/** The event that tells of an error of the client's, and leaves the session open; `eventId` is that of the client's event. */
function errorEvent(
  message: string,
  param: string | null,
  eventId: string | null,
  code = 'invalid_value',
): string {
  const error = { type: 'invalid_request_error', code, message, param, event_id: eventId };
  return JSON.stringify({ type: 'error', event_id: `event_gateway_${++count}`, error });
}
