import { z } from 'zod';
import { jsonObject as object } from '../json-object.ts';
import { modelName } from '../model-name.ts';

/*
 * The settings of a realtime session as OpenAI's published API description and the types of its SDK have them
 * (RealtimeSessionCreateRequest, RealtimeResponseCreateParams and what they refer to). `null` is a value of its own in some
 * fields: it ends turn detection.
 */

const text = z.string();

/** Audio is 16 bits a sample, little-endian, at 24 kHz; or G.711 at 8 kHz. All of it has one channel. */
export const realtimeAudioFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000).nullish() }),
  z.looseObject({ type: z.literal('audio/pcmu') }),
  z.looseObject({ type: z.literal('audio/pcma') }),
]);
export type RealtimeAudioFormat = z.infer<typeof realtimeAudioFormat>;

const turns = { create_response: z.boolean().nullish(), interrupt_response: z.boolean().nullish() };

/** How it is heard when the user has done speaking. Defaults: threshold 0.5, prefix 300 ms, silence 500 ms, both booleans true. */
export const realtimeTurnDetection = z.discriminatedUnion('type', [
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

/** Which model writes down what the user says. */
export const realtimeTranscription = z.looseObject({
  model: modelName.nullish(),
  language: text.nullish(),
  prompt: text.nullish(),
});
export type RealtimeTranscription = z.infer<typeof realtimeTranscription>;

/** By its name, or by the id of one's own. */
export const realtimeVoice = z.union([text.min(1), z.looseObject({ id: text.min(1) })], {
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

/** A function stands flat; the other type is `mcp`, which the vendor runs itself. */
export const realtimeTool = z.looseObject({
  type: z.literal('function'),
  name: text.min(1),
  description: text.nullish(),
  parameters: object.nullish(),
});
export type RealtimeTool = z.infer<typeof realtimeTool>;

export const realtimeToolChoice = z.union(
  [z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.literal('function'), name: text.min(1) })],
  { error: "one of 'auto', 'none', 'required', or a function" },
);
export type RealtimeToolChoice = z.infer<typeof realtimeToolChoice>;

const tokens = z.union([z.int().min(1), z.literal('inf')], { error: "an integer of at least 1, or 'inf'" });

/** One of the two: who hears also reads. */
const modalities = z
  .array(z.enum(['text', 'audio']))
  .refine(given => new Set(given).size === 1, { message: "['text'] or ['audio']" });

const reasoning = z.looseObject({
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
});

/** What a session and a response of it have in common. */
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

/** What `session.update` may say. Only what is said changes. */
export const realtimeSettings = z.strictObject({
  type: z.literal('realtime'),
  /** The session's own: it cannot change. */
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

/** What a client notes of a response: at most 16 pairs. */
const metadata = z.record(text.max(64), text.max(512)).refine(pairs => Object.keys(pairs).length <= 16, {
  message: 'at most 16 pairs',
});

/** What `response.create` may say of the response, but for the items of its `input`. */
export const realtimeResponseSettings = z.looseObject({
  ...answering,
  audio: z.looseObject({ output: audioOutput.nullish() }).nullish(),
  conversation: z.union([z.enum(['auto', 'none']), text.min(1)], { error: "'auto' or 'none'" }).nullish(),
  input: z.array(object).nullish(),
  metadata: metadata.nullish(),
});
export type RealtimeResponseSettings = z.infer<typeof realtimeResponseSettings>;

/** A session as it is told to the client. */
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
