import {
  type RealtimeAudioFormat,
  type RealtimeResponseSettings,
  type RealtimeSessionObject,
  type RealtimeSettings,
  type RealtimeTurnDetection,
  type RealtimeVoice,
  realtimeSettings,
  realtimeVoiceName,
} from '@model-gateway/formats';
import { check, invalid } from './check.ts';

/** Helper models of the session's model. */
export interface Abilities {
  /** Name of the transcription model; undefined if there is none. */
  transcription: string | undefined;
  speech: boolean;
}

interface FirstSettings extends Abilities {
  id: string;
  model: string;
  /** In seconds since 1970. */
  expiresAt: number;
  voice: string | undefined;
}

const pcm: RealtimeAudioFormat = { type: 'audio/pcm', rate: 24_000 };
const defaultVoice = 'alloy';
/** The largest settings of a session or a response, in characters of JSON. */
export const maxSettings = 1_000_000;

const turnDetections: Record<RealtimeTurnDetection['type'], RealtimeTurnDetection> = {
  server_vad: {
    type: 'server_vad',
    threshold: 0.5,
    prefix_padding_ms: 300,
    silence_duration_ms: 500,
    idle_timeout_ms: null,
    create_response: true,
    interrupt_response: true,
  },
  semantic_vad: {
    type: 'semantic_vad',
    eagerness: 'auto',
    create_response: true,
    interrupt_response: true,
  },
};

/** Returns the default settings of a session. */
export function firstSettings({
  id,
  model,
  expiresAt,
  voice,
  ...abilities
}: FirstSettings): RealtimeSessionObject {
  return {
    type: 'realtime',
    object: 'realtime.session',
    id,
    model,
    expires_at: expiresAt,
    output_modalities: [abilities.speech ? 'audio' : 'text'],
    instructions: '',
    tools: [],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    max_output_tokens: 'inf',
    reasoning: null,
    tracing: null,
    truncation: 'auto',
    prompt: null,
    include: null,
    audio: {
      input: {
        format: pcm,
        transcription: null,
        noise_reduction: null,
        turn_detection: abilities.transcription ? turnDetections.server_vad : null,
      },
      output: { format: pcm, voice: voice ?? defaultVoice, speed: 1 },
    },
  };
}

/**
 * Returns the settings after a `session.update`. Unsupported features are ignored, since clients request them
 * by default: without a speech model output stays text, without a transcription model no turns are detected.
 * `spoken` is true once the session has sent audio. @throws GatewayError of kind `invalid-request`
 */
export function updatedSettings(
  current: RealtimeSessionObject,
  given: unknown,
  abilities: Abilities & { spoken: boolean },
): RealtimeSessionObject {
  const session = check(realtimeSettings, given, 'session');
  if (session.model != null && session.model !== current.model)
    throw invalid('session.model', `The session's model is '${current.model}' and cannot be changed.`);
  refusePrompt(session, 'session');
  const { input, output } = session.audio ?? {};
  return ofSize('session', {
    ...current,
    ...answering(current, session, abilities),
    tracing: session.tracing === undefined ? current.tracing : session.tracing,
    truncation: session.truncation ?? current.truncation,
    include: session.include === undefined ? current.include : session.include,
    audio: {
      input: {
        format: formatOf(input?.format, current.audio.input.format),
        transcription: transcriptionOf(current, input?.transcription, abilities),
        noise_reduction:
          input?.noise_reduction === undefined ? current.audio.input.noise_reduction : input.noise_reduction,
        turn_detection: turnDetectionOf(current, input?.turn_detection, abilities),
      },
      output: {
        format: formatOf(output?.format, current.audio.output.format),
        voice: voiceOf(output?.voice, current.audio.output.voice, abilities.spoken),
        speed: output?.speed ?? current.audio.output.speed,
      },
    },
  });
}

/** Settings of one response: the session's, with those of `response.create` applied. */
export type ResponseSettings = Pick<
  RealtimeSessionObject,
  | 'instructions'
  | 'output_modalities'
  | 'tools'
  | 'tool_choice'
  | 'parallel_tool_calls'
  | 'max_output_tokens'
  | 'reasoning'
  | 'truncation'
> & { audio: RealtimeSessionObject['audio']['output'] };

/** @throws GatewayError of kind `invalid-request` */
export function responseSettings(
  current: RealtimeSessionObject,
  given: RealtimeResponseSettings,
  abilities: Abilities,
): ResponseSettings {
  refusePrompt(given, 'response');
  const { format, voice, speed } = current.audio.output;
  const output = given.audio?.output;
  return ofSize('response', {
    ...answering(current, given, abilities),
    truncation: current.truncation,
    audio: {
      format: formatOf(output?.format, format),
      voice: output?.voice ?? voice,
      speed: output?.speed ?? speed,
    },
  });
}

function ofSize<T extends ResponseSettings | RealtimeSessionObject>(param: string, settings: T): T {
  if (JSON.stringify(settings).length <= maxSettings) return settings;
  const message = `Invalid '${param}': its settings are longer than ${maxSettings} characters.`;
  throw invalid(param, message, 'settings_too_large');
}

function answering(
  current: RealtimeSessionObject,
  given: RealtimeSettings | RealtimeResponseSettings,
  { speech }: Abilities,
) {
  const modalities = given.output_modalities ?? current.output_modalities;
  return {
    instructions: given.instructions ?? current.instructions,
    output_modalities: speech ? [modalities[0] as 'text' | 'audio'] : ['text' as const],
    tools: given.tools ?? current.tools,
    tool_choice: given.tool_choice ?? current.tool_choice,
    parallel_tool_calls: given.parallel_tool_calls ?? current.parallel_tool_calls,
    max_output_tokens: given.max_output_tokens ?? current.max_output_tokens,
    reasoning:
      given.reasoning === undefined
        ? current.reasoning
        : given.reasoning && { effort: given.reasoning.effort ?? null },
  };
}

function refusePrompt({ prompt }: { prompt?: object | null | undefined }, where: string): void {
  if (prompt) throw invalid(`${where}.prompt`, "Stored prompts are not supported: use 'instructions'.");
}

function formatOf(
  given: RealtimeAudioFormat | null | undefined,
  current: RealtimeAudioFormat,
): RealtimeAudioFormat {
  if (!given) return current;
  return given.type === 'audio/pcm' ? pcm : { type: given.type };
}

/** Applies the client's settings, except the model: the session has its own transcription model. */
function transcriptionOf(
  current: RealtimeSessionObject,
  given: NonNullable<NonNullable<RealtimeSettings['audio']>['input']>['transcription'],
  { transcription: model }: Abilities,
) {
  if (!model || given === null) return null;
  const before = current.audio.input.transcription;
  return given === undefined ? before : { ...before, ...given, model };
}

function turnDetectionOf(
  current: RealtimeSessionObject,
  given: RealtimeTurnDetection | null | undefined,
  { transcription }: Abilities,
): RealtimeTurnDetection | null {
  if (!transcription || given === null) return null;
  const before = current.audio.input.turn_detection;
  if (given === undefined) return before;
  const base = before?.type === given.type ? before : turnDetections[given.type];
  const changes = Object.entries(given).filter(([, value]) => value != null);
  return { ...base, ...Object.fromEntries(changes) } as RealtimeTurnDetection;
}

function voiceOf(
  given: RealtimeVoice | null | undefined,
  current: RealtimeVoice,
  spoken: boolean,
): RealtimeVoice {
  if (!given || realtimeVoiceName(given) === realtimeVoiceName(current)) return current;
  if (spoken)
    throw invalid(
      'session.audio.output.voice',
      "The session's voice cannot be changed once audio was sent.",
      'cannot_update_voice',
    );
  return given;
}
