/*
 * Translates between the current realtime protocol and its beta, for clients that speak the beta.
 * Sources: the types of both in OpenAI's SDK, and OpenAI's reference client of 2024.
 */

import { isJsonObject, omitNullish } from '@model-gateway/json';

type Fields = Record<string, unknown>;

const formats: [beta: string, format: Fields][] = [
  ['pcm16', { type: 'audio/pcm', rate: 24_000 }],
  ['g711_ulaw', { type: 'audio/pcmu' }],
  ['g711_alaw', { type: 'audio/pcma' }],
];
const events: [beta: string, current: string][] = [
  ['response.text.', 'response.output_text.'],
  ['response.audio_transcript.', 'response.output_audio_transcript.'],
  ['response.audio.', 'response.output_audio.'],
];
const contents: [beta: string, current: string][] = [
  ['text', 'output_text'],
  ['audio', 'output_audio'],
];
/** Current path of each field of the beta's flat session. */
const places: [beta: string, current: string][] = [
  ['modalities', 'output_modalities'],
  ['max_response_output_tokens', 'max_output_tokens'],
  ['voice', 'audio.output.voice'],
  ['speed', 'audio.output.speed'],
  ['output_audio_format', 'audio.output.format'],
  ['input_audio_format', 'audio.input.format'],
  ['input_audio_transcription', 'audio.input.transcription'],
  ['input_audio_noise_reduction', 'audio.input.noise_reduction'],
  ['turn_detection', 'audio.input.turn_detection'],
];

/** Fields of a session and of a response that null turns off or clears. In all others null means not set. */
const nullable: ReadonlySet<string> = new Set([
  ...['turn_detection', 'input_audio_transcription', 'input_audio_noise_reduction'],
  ...['tracing', 'prompt', 'metadata'],
]);

/** Translates a beta client's event to the current protocol, whose servers refuse null for a member that is not set. */
export function fromBeta(sent: Fields): Fields {
  const event = omitNullish(sent);
  switch (event.type) {
    case 'session.update':
      return changed(event, 'session', session => ({ type: 'realtime', ...currentFields(session) }));
    case 'response.create':
      return changed(event, 'response', response => {
        const { input } = response;
        return { ...currentFields(response), ...(Array.isArray(input) && { input: input.map(currentItem) }) };
      });
    case 'conversation.item.create':
      return changed(event, 'item', currentItem);
    default:
      return event;
  }
}

/** Translates a current event to zero, one or two events of the beta. */
export function toBeta(event: Fields): Fields[] {
  const { type } = event;
  switch (type) {
    case 'session.created':
      return [changed(event, 'session', betaFields), conversationOf(event)];
    case 'session.updated':
      return [changed(event, 'session', betaFields)];
    case 'conversation.item.added':
      return [changed({ ...event, type: 'conversation.item.created' }, 'item', betaItem)];
    case 'conversation.item.done':
      return [];
    case 'conversation.item.retrieved':
    case 'response.output_item.added':
    case 'response.output_item.done':
      return [changed(event, 'item', betaItem)];
    case 'response.created':
    case 'response.done':
      return [changed(event, 'response', betaResponse)];
    case 'error':
      return [changed(event, 'error', error => ({ ...error, param: betaParam(error.param) }))];
    default:
      return [{ ...event, type: betaEventType(String(type)) }];
  }
}

function betaEventType(type: string): string {
  const [beta, current] = events.find(([, current]) => type.startsWith(current)) ?? ['', ''];
  return beta + type.slice(current.length);
}

/** Converts the fields of a session or a response; those that only the beta has are left out. */
function currentFields({ temperature: _, ...session }: Fields): Fields {
  const fields: Fields = {};
  for (const [name, value] of Object.entries(session)) {
    if (value === null && !nullable.has(name)) continue;
    const place = places.find(([beta]) => beta === name)?.[1] ?? name;
    put(fields, place.split('.'), currentValue(name, value));
  }
  return fields;
}

function currentValue(name: string, value: unknown): unknown {
  if (name === 'modalities' && Array.isArray(value)) return [value.includes('audio') ? 'audio' : 'text'];
  if (name.endsWith('_audio_format')) return formats.find(([beta]) => beta === value)?.[1] ?? { type: value };
  return nullable.has(name) && isJsonObject(value) ? omitNullish(value) : value;
}

function betaFields(session: Fields): Fields {
  const { type: _, audio: __, output_modalities: ___, max_output_tokens: ____, ...rest } = session;
  const fields = places.flatMap(([name, place]) => {
    const value = at(session, place.split('.'));
    return value === undefined ? [] : [[name, betaValue(name, value)] as const];
  });
  return { ...rest, ...Object.fromEntries(fields), temperature: 0.8 };
}

function betaValue(name: string, value: unknown): unknown {
  if (name === 'modalities' && Array.isArray(value))
    return value.includes('audio') ? ['text', 'audio'] : value;
  if (!name.endsWith('_audio_format') || !isJsonObject(value)) return value;
  return formats.find(([, { type }]) => type === value.type)?.[0] ?? value;
}

function betaResponse(response: Fields): Fields {
  const { output, max_output_tokens } = response;
  const { max_response_output_tokens: _, ...fields } = betaFields(response);
  return { ...fields, max_output_tokens, output: Array.isArray(output) ? output.map(betaItem) : output };
}

function currentItem(item: unknown): Fields {
  if (!isJsonObject(item)) return item as unknown as Fields;
  const { content, ...fields } = omitNullish(item);
  const parts = Array.isArray(content)
    ? content.map(part => (isJsonObject(part) ? omitNullish(part) : part))
    : content;
  const set = parts === undefined ? fields : { ...fields, content: parts };
  return withContents(set, type => contents.find(([beta]) => beta === type)?.[1]);
}

function betaItem(item: unknown): Fields {
  return withContents(item, type => contents.find(([, current]) => current === type)?.[0]);
}

/** Renames the content types of the model's messages; only those differ. */
function withContents(item: unknown, rename: (type: unknown) => string | undefined): Fields {
  if (!isJsonObject(item)) return item as Fields;
  const { content, role } = item;
  if (role !== 'assistant' || !Array.isArray(content)) return item;
  const renamed = content.map(part =>
    isJsonObject(part) ? { ...part, type: rename(part.type) ?? part.type } : part,
  );
  return { ...item, content: renamed };
}

/** Returns `conversation.created`, which only the beta sends. */
function conversationOf({ event_id, session }: Fields): Fields {
  const id = isJsonObject(session) ? String(session.id).replace(/^sess_/, 'conv_') : 'conv_';
  const conversation = { id, object: 'realtime.conversation' };
  return { type: 'conversation.created', event_id: `${event_id}_conversation`, conversation };
}

function betaParam(param: unknown): unknown {
  if (typeof param !== 'string') return param;
  const [, root, path = ''] = /^(session|response)\.(.*)$/.exec(param) ?? [];
  const place = places.find(([, current]) => path === current || path.startsWith(`${current}.`));
  return root && place ? `${root}.${place[0]}${path.slice(place[1].length)}` : param;
}

function changed(event: Fields, field: string, change: (value: Fields) => Fields): Fields {
  const value = event[field];
  return isJsonObject(value) ? { ...event, [field]: change(value) } : event;
}

function put(object: Fields, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    object[name] = value;
    return;
  }
  const inner = isJsonObject(object[name]) ? object[name] : {};
  object[name] = inner;
  put(inner, rest, value);
}

function at(object: Fields, path: string[]): unknown {
  return path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), object);
}
