import { z } from 'zod';
import { reasoningEfforts } from '../chat/reasoning.ts';
import { plainToolChoice } from '../chat/request.ts';
import { modelName, jsonObject as object } from '../values/schemas.ts';

/*
 * Settings of a realtime session, as in OpenAI's published API description and the types of its SDK
 * (RealtimeSessionCreateRequest, RealtimeResponseCreateParams and what they refer to). In some fields `null`
 * is a value: it turns turn detection off.
 */

const text = z.string();

/** Audio formats: 16-bit little-endian PCM at 24 kHz, or G.711 at 8 kHz. All have one channel. */
const realtimeAudioFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000).nullish() }),
  z.looseObject({ type: z.literal('audio/pcmu') }),
  z.looseObject({ type: z.literal('audio/pcma') }),
]);
export type RealtimeAudioFormat = z.infer<typeof realtimeAudioFormat>;

const turns = { create_response: z.boolean().nullish(), interrupt_response: z.boolean().nullish() };

/** Detection of the end of a turn. Defaults: threshold 0.5, prefix 300 ms, silence 500 ms, booleans true. */
const realtimeTurnDetection = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('server_vad'),
    threshold: z.number().min(0).max(1).nullish(),
    prefix_padding_ms: z.int().min(0).max(10_000).nullish(),
    silence_duration_ms: z.int().min(0).max(60_000).nullish(),
    idle_timeout_ms: z.int().min(5_000).max(30_000).nullish(),
    ...turns,
  }),
  z.looseObject({
    type: z.literal('semantic_vad'),
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).nullish(),
    ...turns,
  }),
]);
export type RealtimeTurnDetection = z.infer<typeof realtimeTurnDetection>;

/** Transcription of the user's speech. */
const realtimeTranscription = z.looseObject({
  model: modelName.nullish(),
  language: text.nullish(),
  prompt: text.nullish(),
});
type RealtimeTranscription = z.infer<typeof realtimeTranscription>;

/** A voice's name, or an object with the id of a custom voice. */
const realtimeVoice = z.union([text.min(1), z.looseObject({ id: text.min(1) })], {
  error: 'string or an object with an id',
});
export type RealtimeVoice = z.infer<typeof realtimeVoice>;

const audioInput = z.looseObject({
  format: realtimeAudioFormat.nullish(),
  transcription: realtimeTranscription.nullish(),
  noise_reduction: object.nullish(),
  turn_detection: realtimeTurnDetection.nullish(),
});
const audioOutput = z.looseObject({
  format: realtimeAudioFormat.nullish(),
  voice: realtimeVoice.nullish(),
  speed: z.number().min(0.25).max(1.5).nullish(),
});

/** A function; its fields are not nested. The other type is `mcp`, which the vendor runs. */
const realtimeTool = z.looseObject({
  type: z.literal('function'),
  name: text.min(1),
  description: text.nullish(),
  parameters: object.nullish(),
});
export type RealtimeTool = z.infer<typeof realtimeTool>;

const realtimeToolChoice = z.union(
  [plainToolChoice, z.looseObject({ type: z.literal('function'), name: text.min(1) })],
  { error: "one of 'auto', 'none', 'required', or a function" },
);
export type RealtimeToolChoice = z.infer<typeof realtimeToolChoice>;

const tokens = z.union([z.int().min(1), z.literal('inf')], { error: "an integer of at least 1, or 'inf'" });

/** Exactly one modality: audio comes with its transcript. */
const modalities = z
  .array(z.enum(['text', 'audio']))
  .refine(values => new Set(values).size === 1, { message: "['text'] or ['audio']" });

const reasoning = z.looseObject({
  effort: z.enum(reasoningEfforts).exclude(['max']).nullish(),
});

/** Common settings of a session and a response. */
const answering = {
  instructions: text.nullish(),
  output_modalities: modalities.nullish(),
  tools: z.array(realtimeTool).nullish(),
  tool_choice: realtimeToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: tokens.nullish(),
  reasoning: reasoning.nullish(),
  prompt: object.nullish(),
};

/** The settings in `session.update`; absent settings do not change. */
export const realtimeSettings = z.strictObject({
  type: z.literal('realtime'),
  /** The session's model, which cannot change. */
  model: modelName.nullish(),
  ...answering,
  audio: z.looseObject({ input: audioInput.nullish(), output: audioOutput.nullish() }).nullish(),
  truncation: z
    .union(
      [
        z.enum(['auto', 'disabled']),
        z.looseObject({
          type: z.literal('retention_ratio'),
          retention_ratio: z.number().min(0).max(1),
          token_limits: z.looseObject({ post_instructions: z.int().min(0).nullish() }).nullish(),
        }),
      ],
      { error: "one of 'auto', 'disabled', or a retention ratio" },
    )
    .nullish(),
  tracing: z.unknown().optional(),
  include: z.array(text).nullish(),
});
export type RealtimeSettings = z.infer<typeof realtimeSettings>;

/** Metadata that a client attaches to a response: at most 16 pairs. */
const metadata = z.record(text.max(64), text.max(512)).refine(pairs => Object.keys(pairs).length <= 16, {
  message: 'at most 16 pairs',
});

/** The settings in `response.create`; the items of its `input` are validated separately. */
export const realtimeResponseSettings = z.looseObject({
  ...answering,
  audio: z.looseObject({ output: audioOutput.nullish() }).nullish(),
  conversation: z.union([z.enum(['auto', 'none']), text.min(1)], { error: "'auto' or 'none'" }).nullish(),
  input: z.array(object).nullish(),
  metadata: metadata.nullish(),
});
export type RealtimeResponseSettings = z.infer<typeof realtimeResponseSettings>;

/** A session as sent to the client. */
export interface RealtimeSessionObject {
  type: 'realtime';
  object: 'realtime.session';
  id: string;
  model: string;
  /** In seconds since 1970. */
  expires_at: number;
  output_modalities: ('text' | 'audio')[];
  instructions: string;
  tools: RealtimeTool[];
  tool_choice: RealtimeToolChoice;
  parallel_tool_calls: boolean;
  max_output_tokens: number | 'inf';
  reasoning: z.infer<typeof reasoning> | null;
  tracing: unknown;
  truncation: NonNullable<RealtimeSettings['truncation']>;
  prompt: null;
  include: string[] | null;
  audio: {
    input: {
      format: RealtimeAudioFormat;
      transcription: RealtimeTranscription | null;
      noise_reduction: Record<string, unknown> | null;
      turn_detection: RealtimeTurnDetection | null;
    };
    output: { format: RealtimeAudioFormat; voice: RealtimeVoice; speed: number };
  };
}
