import { wrong } from '../openai-complaint.ts';
import type { AudioFormat } from './audio-format.ts';
import type { ResponseSettings, SessionUpdate, TurnDetection } from './request.ts';

type Defined<T> = { [Key in keyof T]-?: Exclude<T[Key], undefined> };

/** What a session has agreed on, as `session.updated` shows it. */
export interface SessionSettings {
  instructions: string;
  output_modalities: ['text'] | ['audio'];
  tools: NonNullable<SessionUpdate['tools']>;
  tool_choice: NonNullable<SessionUpdate['tool_choice']>;
  parallel_tool_calls: boolean;
  max_output_tokens: number | 'inf';
  tracing: SessionUpdate['tracing'] | null;
  truncation: NonNullable<SessionUpdate['truncation']>;
  prompt: Record<string, unknown> | null;
  include: string[] | null;
  reasoning?: NonNullable<SessionUpdate['reasoning']>;
  audio: {
    input: {
      format: AudioFormat;
      transcription: { model?: string | undefined } | null;
      noise_reduction: Record<string, unknown> | null;
      turn_detection: Detection | null;
    };
    output: { format: AudioFormat; voice: string | { id: string }; speed: number };
  };
}

type Detection =
  | Defined<Extract<TurnDetection, { type: 'server_vad' }>>
  | Defined<Extract<TurnDetection, { type: 'semantic_vad' }>>;

const pcm: AudioFormat = { type: 'audio/pcm', rate: 24_000 };

export function initialSettings(): SessionSettings {
  return {
    instructions: '',
    output_modalities: ['audio'],
    tools: [],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    max_output_tokens: 'inf',
    tracing: null,
    truncation: 'auto',
    prompt: null,
    include: null,
    audio: {
      input: {
        format: pcm,
        transcription: null,
        noise_reduction: null,
        turn_detection: detection({ type: 'server_vad' }),
      },
      output: { format: pcm, voice: 'alloy', speed: 1 },
    },
  };
}

/** Settings after an update: what it does not name stays. @throws Refusal for a change that comes too late */
export function updated(
  settings: SessionSettings,
  { type: _type, model: _model, audio, ...plain }: SessionUpdate,
  hasSpoken: boolean,
): SessionSettings {
  const { input = {}, output = {} } = audio ?? {};
  const { turn_detection: turns, ...otherInput } = input;
  const next: SessionSettings = {
    ...settings,
    ...defined(plain),
    audio: {
      input: { ...settings.audio.input, ...defined(otherInput) },
      output: { ...settings.audio.output, ...defined(output) },
    },
  };
  if (turns !== undefined) next.audio.input.turn_detection = turns && detection(turns);
  for (const { format } of [next.audio.input, next.audio.output])
    if (format.type === 'audio/pcm') format.rate ??= 24_000;
  const [before, after] = [settings, next].map(one => JSON.stringify(one.audio.output.voice));
  if (hasSpoken && before !== after)
    throw wrong(
      "Cannot update a conversation's voice if assistant audio is present.",
      'cannot_update_voice',
      'session.audio.output.voice',
    );
  return next;
}

/** What one response goes by. */
export function forResponse(
  settings: SessionSettings,
  { audio, metadata: _metadata, conversation: _conversation, input: _input, ...plain }: ResponseSettings,
): SessionSettings {
  const output = { ...settings.audio.output, ...defined(audio?.output ?? {}) };
  return { ...settings, ...defined(plain), audio: { ...settings.audio, output } };
}

function detection(given: TurnDetection): Detection {
  const replying = { create_response: true, interrupt_response: true };
  const bySense = { eagerness: 'auto' as const, ...replying };
  if (given.type === 'semantic_vad') return Object.assign(bySense, defined(given));
  const pauses = { prefix_padding_ms: 300, silence_duration_ms: 500, idle_timeout_ms: null };
  return Object.assign({ threshold: 0.5, ...pauses, ...replying }, defined(given));
}

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
