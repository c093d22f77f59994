import {
  type FinishReason,
  type GenerateEvent,
  type GenerateRequest,
  noUsage,
} from '@model-gateway/canonical';
import type {
  RealtimeErrorObject,
  RealtimeResponseObject,
  RealtimeSessionObject,
} from '@model-gateway/formats';
import { expect, vi } from 'vitest';
import { wavSize } from '../emulation/audio-format.ts';
import { Emulation, type EmulationOptions } from '../emulation/emulation.ts';
import type { Models, SpeechQuery, TranscriptQuery } from '../emulation/models.ts';

/** A session event, with the fields of all types. */
export interface SessionEvent {
  type: string;
  event_id: string;
  session: RealtimeSessionObject;
  response: RealtimeResponseObject;
  error: RealtimeErrorObject;
  item: { id: string; status: string; content: unknown[] };
  item_id: string;
  previous_item_id: string | null;
  output_index: number;
  delta: string;
  part: unknown;
}
type Say = (events: GenerateEvent[]) => void;
/** A model's behaviour for one request: sends events and ends. */
export type Script = (say: Say, request: GenerateRequest, signal: AbortSignal) => void | Promise<void>;

const usage = { ...noUsage, input: 7, cachedInput: 2, output: 3 };
export const finish = (reason: FinishReason = 'stop') =>
  ({ type: 'finish', reason, raw: null, usage }) as const;
export const text = (words: string, index = 0): GenerateEvent[] => [
  { type: 'part-start', index, part: { type: 'text' } },
  ...(words.match(/\S+\s*/g) ?? []).map(word => ({ type: 'part-delta', index, text: word }) as const),
  { type: 'part-end', index },
];
export const start: GenerateEvent = { type: 'start', id: 'x', model: 'm' };
export const says =
  (...events: GenerateEvent[]): Script =>
  say =>
    say([start, ...events]);
export const saysText = (words: string) => says(...text(words), finish());
export const never: Script = (_say, _request, signal) =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve()));

/** Opens a session whose model follows the scripts, one per response. */
export function open(
  scripts: Script[] = [],
  options: Partial<EmulationOptions> & { helpers?: Partial<Models> } = {},
) {
  const events: SessionEvent[] = [];
  const requests: GenerateRequest[] = [];
  const signals: AbortSignal[] = [];
  let ids = 0;
  const models: Models = {
    generate(request, signal, onEvents) {
      requests.push(request);
      signals.push(signal);
      const script = scripts.shift() ?? saysText('Nothing more.');
      return {
        done: (async () => script(onEvents, request, signal))(),
        usage: () => ({ ...usage, output: 1 }),
      };
    },
    ...options.helpers,
  };
  const emulation = new Emulation({
    model: 'talker',
    expiresAt: 1_800_000_000,
    transcription: undefined,
    speech: false,
    voice: undefined,
    context: undefined,
    models,
    turn: async () => {},
    ready: async () => {},
    newId: prefix => `${prefix}_${++ids}`,
    emit: event => events.push(event as unknown as SessionEvent),
    ...options,
  });
  emulation.begin();
  const send = (event: object | string) =>
    emulation.receive(Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)));
  const types = () => events.map(({ type }) => type);
  const of = (type: string) => events.filter(event => event.type === type);
  const first = (type: string) => of(type)[0] as SessionEvent;
  return {
    emulation,
    events,
    requests,
    signals,
    send,
    types,
    of,
    first,
    say: (words: string, fields = {}) =>
      send({
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] },
        ...fields,
      }),
    /** Waits for the end of `count` responses. */
    done: (count = 1) => vi.waitFor(() => expect(of('response.done')).toHaveLength(count)),
    update: (session: object) => send({ type: 'session.update', session: { type: 'realtime', ...session } }),
    error: () => of('error').at(-1)?.error,
  };
}

/** Returns a tone or silence of `ms` milliseconds at 24 kHz. */
export function sound(ms: number, loud = true): string {
  const bytes = Buffer.alloc(ms * 48);
  if (loud) for (let i = 0; i < ms * 24; i++) bytes.writeInt16LE(Math.round(8_000 * Math.sin(i / 8)), 2 * i);
  return bytes.toString('base64');
}

/** Opens a session with helper models; each character is spoken in 1 ms. */
export function openAudio(scripts: Script[] = [], helpers: Partial<Models> = {}) {
  const heard: { bytes: number; query: TranscriptQuery }[] = [];
  const spoken: SpeechQuery[] = [];
  const session = open(scripts, {
    transcription: 'ears',
    speech: true,
    helpers: {
      async transcribe({ bytes, format }, query) {
        heard.push({ bytes: wavSize(bytes, format), query });
        return { text: 'What is up?', usage: null };
      },
      async speak(query, _signal, onAudio) {
        spoken.push(query);
        const audio = Buffer.alloc(query.text.length * 48);
        // Cut in the middle of a sample.
        onAudio(audio.subarray(0, 49));
        onAudio(audio.subarray(49));
      },
      ...helpers,
    },
  });
  const append = (audio: string) => session.send({ type: 'input_audio_buffer.append', audio });
  return { ...session, heard, spoken, append };
}
