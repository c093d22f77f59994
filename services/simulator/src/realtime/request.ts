import { z } from 'zod';
import { efforts } from '../mind/prompt.ts';

const text = z.string();
const id = text.min(1).max(64);
const object = z.record(text, z.unknown());
const status = z.enum(['completed', 'incomplete', 'in_progress']).optional();
const own = { id: id.optional(), object: z.literal('realtime.item').optional(), status };

const inputText = z.strictObject({ type: z.literal('input_text'), text });
const userPart = z.discriminatedUnion('type', [
  inputText,
  z.strictObject({
    type: z.literal('input_audio'),
    audio: z.base64().optional(),
    transcript: text.nullish(),
  }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: text.regex(/^data:image\//),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
]);
const message = { ...own, type: z.literal('message') };
const call = { ...own, type: z.literal('function_call'), call_id: id.optional() };

/** What a client may put into a conversation; audio of the assistant is not among it. */
const item = z.discriminatedUnion('type', [
  z.discriminatedUnion('role', [
    z.strictObject({ ...message, role: z.literal('user'), content: z.array(userPart) }),
    z.strictObject({ ...message, role: z.literal('system'), content: z.array(inputText) }),
    z.strictObject({
      ...message,
      role: z.literal('assistant'),
      content: z.array(z.strictObject({ type: z.literal('output_text'), text })),
    }),
  ]),
  z.strictObject({ ...call, name: text, arguments: text }),
  z.strictObject({ ...own, type: z.literal('function_call_output'), call_id: id, output: text }),
]);
export type GivenItem = z.infer<typeof item>;

const format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000).optional() }),
  z.strictObject({ type: z.literal('audio/pcmu') }),
  z.strictObject({ type: z.literal('audio/pcma') }),
]);
const voice = z.union([text.min(1), z.strictObject({ id: text.min(1) })]);
const modalities = z.union([z.tuple([z.literal('text')]), z.tuple([z.literal('audio')])]);
const replying = { create_response: z.boolean().optional(), interrupt_response: z.boolean().optional() };
const turnDetection = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('server_vad'),
    threshold: z.number().min(0).max(1).optional(),
    prefix_padding_ms: z.int().min(0).max(10_000).optional(),
    silence_duration_ms: z.int().min(0).max(60_000).optional(),
    idle_timeout_ms: z.int().min(5_000).max(30_000).nullish(),
    ...replying,
  }),
  z.strictObject({
    type: z.literal('semantic_vad'),
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).optional(),
    ...replying,
  }),
]);
export type TurnDetection = z.infer<typeof turnDetection>;

const tool = z.union([
  z.strictObject({
    type: z.literal('function'),
    name: text.min(1),
    description: text.optional(),
    parameters: object.optional(),
  }),
  // Offered and never called: nothing is fetched.
  z.looseObject({ type: z.literal('mcp'), server_label: text }),
]);
const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ type: z.literal('function'), name: text }),
  z.looseObject({ type: z.literal('mcp'), server_label: text }),
]);

/** What both a session and one response of it may say. */
const speaking = {
  instructions: text.optional(),
  output_modalities: modalities.optional(),
  tools: z.array(tool).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_output_tokens: z.union([z.int().min(1).max(4_096), z.literal('inf')]).optional(),
  prompt: object.nullish(),
  reasoning: z.strictObject({ effort: z.enum([...efforts, 'none']).optional() }).optional(),
};

const session = z.strictObject({
  type: z.literal('realtime'),
  model: text.optional(),
  ...speaking,
  include: z.array(z.literal('item.input_audio_transcription.logprobs')).nullish(),
  tracing: z.union([z.literal('auto'), object]).nullish(),
  truncation: z.union([z.enum(['auto', 'disabled']), object]).optional(),
  audio: z
    .strictObject({
      input: z
        .strictObject({
          format: format.optional(),
          transcription: z.looseObject({ model: text.optional() }).nullish(),
          noise_reduction: object.nullish(),
          turn_detection: turnDetection.nullish(),
        })
        .optional(),
      output: z
        .strictObject({
          format: format.optional(),
          voice: voice.optional(),
          speed: z.number().min(0.25).max(1.5).optional(),
        })
        .optional(),
    })
    .optional(),
});
export type SessionUpdate = z.infer<typeof session>;

const responseSettings = z.strictObject({
  ...speaking,
  audio: z
    .strictObject({
      output: z.strictObject({ format: format.optional(), voice: voice.optional() }).optional(),
    })
    .optional(),
  metadata: z.record(text.max(64), text.max(512)).nullish(),
  conversation: z.enum(['auto', 'none']).optional(),
  input: z.array(z.union([item, z.strictObject({ type: z.literal('item_reference'), id })])).optional(),
});
export type ResponseSettings = z.infer<typeof responseSettings>;

const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), event_id: text.max(512).optional(), ...fields });

/** An event as the vendor takes it: what it does not know, it refuses. */
export const clientEvent = z.discriminatedUnion('type', [
  event('session.update', { session }),
  event('conversation.item.create', { item, previous_item_id: id.nullish() }),
  event('conversation.item.retrieve', { item_id: id }),
  event('conversation.item.truncate', {
    item_id: id,
    content_index: z.int().min(0),
    audio_end_ms: z.int().min(0),
  }),
  event('conversation.item.delete', { item_id: id }),
  event('input_audio_buffer.append', { audio: text }),
  event('input_audio_buffer.commit', {}),
  event('input_audio_buffer.clear', {}),
  event('response.create', { response: responseSettings.nullish() }),
  event('response.cancel', { response_id: id.nullish() }),
]);
export type ClientEvent = z.infer<typeof clientEvent>;
