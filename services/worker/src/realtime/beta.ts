/*
 * The realtime protocol's beta, for clients that still speak it: what they send in the names of today, and what they are sent
 * in their own. Sources: the beta's types in OpenAI's SDK beside today's, and OpenAI's reference client of 2024.
 */

import { isObject } from './read-object.ts';

type Fields = Record<string, unknown>;

const formats: [beta: string, format: Fields][] = [
  ['pcm16', { type: 'audio/pcm', rate: 24_000 }],
  ['g711_ulaw', { type: 'audio/pcmu' }],
  ['g711_alaw', { type: 'audio/pcma' }],
];
const events: [beta: string, today: string][] = [
  ['response.text.', 'response.output_text.'],
  ['response.audio_transcript.', 'response.output_audio_transcript.'],
  ['response.audio.', 'response.output_audio.'],
];
const contents: [beta: string, today: string][] = [
  ['text', 'output_text'],
  ['audio', 'output_audio'],
];
/** Where each field of the beta's flat session stands today. */
const places: [beta: string, today: string][] = [
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

/** A beta client's event as one of today. */
export function fromBeta(event: Fields): Fields {
  switch (event.type) {
    case 'session.update':
      return changed(event, 'session', session => ({ type: 'realtime', ...today(session) }));
    case 'response.create':
      return changed(event, 'response', response => {
        const { input } = response;
        return { ...today(response), ...(Array.isArray(input) && { input: input.map(itemOfToday) }) };
      });
    case 'conversation.item.create':
      return changed(event, 'item', itemOfToday);
    default:
      return event;
  }
}

/** An event of today as a beta client knows it: as one, none or two. */
export function toBeta(event: Fields): Fields[] {
  const { type } = event;
  switch (type) {
    case 'session.created':
      return [changed(event, 'session', beta), conversationOf(event)];
    case 'session.updated':
      return [changed(event, 'session', beta)];
    case 'conversation.item.added':
      return [changed({ ...event, type: 'conversation.item.created' }, 'item', itemOfBeta)];
    case 'conversation.item.done':
      return [];
    case 'conversation.item.retrieved':
    case 'response.output_item.added':
    case 'response.output_item.done':
      return [changed(event, 'item', itemOfBeta)];
    case 'response.created':
    case 'response.done':
      return [changed(event, 'response', responseOfBeta)];
    case 'error':
      return [changed(event, 'error', error => ({ ...error, param: paramOfBeta(error.param) }))];
    default:
      return [{ ...event, type: eventOfBeta(String(type)) }];
  }
}

function eventOfBeta(type: string): string {
  const [beta, now] = events.find(([, now]) => type.startsWith(now)) ?? ['', ''];
  return beta + type.slice(now.length);
}

/** What a session or a response says, by the names of today; what the beta alone has, is left out. */
function today({ temperature: _, ...given }: Fields): Fields {
  const said: Fields = {};
  for (const [name, value] of Object.entries(given)) {
    const place = places.find(([beta]) => beta === name)?.[1] ?? name;
    put(said, place.split('.'), valueOfToday(name, value));
  }
  return said;
}

function valueOfToday(name: string, value: unknown): unknown {
  if (name === 'modalities' && Array.isArray(value)) return [value.includes('audio') ? 'audio' : 'text'];
  if (!name.endsWith('_audio_format')) return value;
  return formats.find(([beta]) => beta === value)?.[1] ?? { type: value };
}

function beta(session: Fields): Fields {
  const { type: _, audio: __, output_modalities: ___, max_output_tokens: ____, ...rest } = session;
  const told = places.flatMap(([name, place]) => {
    const value = at(session, place.split('.'));
    return value === undefined ? [] : [[name, valueOfBeta(name, value)] as const];
  });
  return { ...rest, ...Object.fromEntries(told), temperature: 0.8 };
}

function valueOfBeta(name: string, value: unknown): unknown {
  if (name === 'modalities' && Array.isArray(value))
    return value.includes('audio') ? ['text', 'audio'] : value;
  if (!name.endsWith('_audio_format') || !isObject(value)) return value;
  return formats.find(([, { type }]) => type === value.type)?.[0] ?? value;
}

function responseOfBeta(response: Fields): Fields {
  const { output, max_output_tokens } = response;
  const { max_response_output_tokens: _, ...told } = beta(response);
  return { ...told, max_output_tokens, output: Array.isArray(output) ? output.map(itemOfBeta) : output };
}

function itemOfToday(item: unknown): Fields {
  return withContents(item, type => contents.find(([beta]) => beta === type)?.[1]);
}

function itemOfBeta(item: unknown): Fields {
  return withContents(item, type => contents.find(([, today]) => today === type)?.[0]);
}

/** Only what the model says is called otherwise. */
function withContents(item: unknown, rename: (type: unknown) => string | undefined): Fields {
  if (!isObject(item)) return item as Fields;
  const { content, role } = item;
  if (role !== 'assistant' || !Array.isArray(content)) return item;
  const renamed = content.map(part =>
    isObject(part) ? { ...part, type: rename(part.type) ?? part.type } : part,
  );
  return { ...item, content: renamed };
}

/** The beta told of its conversation, too. */
function conversationOf({ event_id, session }: Fields): Fields {
  const id = isObject(session) ? String(session.id).replace(/^sess_/, 'conv_') : 'conv_';
  const conversation = { id, object: 'realtime.conversation' };
  return { type: 'conversation.created', event_id: `${event_id}_conversation`, conversation };
}

function paramOfBeta(param: unknown): unknown {
  if (typeof param !== 'string') return param;
  const [, root, path = ''] = /^(session|response)\.(.*)$/.exec(param) ?? [];
  const place = places.find(([, now]) => path === now || path.startsWith(`${now}.`));
  return root && place ? `${root}.${place[0]}${path.slice(place[1].length)}` : param;
}

function changed(event: Fields, field: string, change: (value: Fields) => Fields): Fields {
  const value = event[field];
  return isObject(value) ? { ...event, [field]: change(value) } : event;
}

function put(object: Fields, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    object[name] = value;
    return;
  }
  const inner = isObject(object[name]) ? object[name] : {};
  object[name] = inner;
  put(inner, rest, value);
}

function at(object: Fields, path: string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), object);
}
