import { z } from 'zod';
import { isSchema, type Schema } from '../responder/json-value.ts';
import { efforts } from '../responder/prompt.ts';

const text = z.string();
const id = text.min(1).max(64);
const object = z.record(text, z.unknown());
const status = z.enum(['completed', 'incomplete', 'in_progress']).optional();
const common = { id: id.optional(), object: z.literal('realtime.item').optional(), status };

const inputText = z.strictObject({ type: z.literal('input_text'), text });
const userPart = z.discriminatedUnion('type', [
  inputText,
  z.strictObject({
    type: z.literal('input_audio'),
    audio: z.base64().default(''),
    transcript: text.nullish(),
  }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: text.regex(/^data:image\//),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
]);
const message = { ...common, type: z.literal('message') };
const call = { ...common, type: z.literal('function_call'), call_id: id.optional() };
const outputText = z.strictObject({ type: z.literal('output_text'), text });

/** An item that a client may add. Audio of the assistant is rejected. */
const item = z.discriminatedUnion('type', [
  z.discriminatedUnion('role', [
    z.strictObject({ ...message, role: z.literal('user'), content: z.array(userPart) }),
    z.strictObject({ ...message, role: z.literal('system'), content: z.array(inputText) }),
    z.strictObject({ ...message, role: z.literal('assistant'), content: z.array(outputText) }),
  ]),
  z.strictObject({ ...call, name: text, arguments: text }),
  z.strictObject({ ...common, type: z.literal('function_call_output'), call_id: id, output: text }),
]);
export type SentItem = z.infer<typeof item>;

const format = z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000).default(24_000) });
const pcm = { type: 'audio/pcm' } as const;
const mcp = z.looseObject({ type: z.literal('mcp'), server_label: text });
const functionTool = z.strictObject({
  type: z.literal('function'),
  name: text.min(1),
  description: text.optional(),
  parameters: object.optional(),
});
const voice = z.union([text.min(1), z.strictObject({ id: text.min(1) })]);
/** The settings of sessions and of responses. MCP servers are accepted and never called. */
const speaking = {
  instructions: text.default(''),
  output_modalities: z
    .union([z.tuple([z.literal('text')]), z.tuple([z.literal('audio')])])
    .default(['audio']),
  tools: z.array(z.union([functionTool, mcp])).default([]),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({ type: z.literal('function'), name: text }),
      mcp,
    ])
    .default('auto'),
  parallel_tool_calls: z.boolean().default(true),
  max_output_tokens: z.union([z.int().min(1).max(4_096), z.literal('inf')]).default('inf'),
  prompt: object.nullable().default(null),
  reasoning: z.strictObject({ effort: z.enum([...efforts, 'none']).optional() }).optional(),
};

/** The settings of a session. An update contains any of them. */
export const session = z.strictObject({
  type: z.literal('realtime'),
  model: text.optional(),
  ...speaking,
  include: z.array(z.literal('item.input_audio_transcription.logprobs')).nullable().default(null),
  tracing: z.union([z.literal('auto'), object, z.null()]).default(null),
  truncation: z.union([z.enum(['auto', 'disabled']), object]).default('auto'),
  audio: z
    .strictObject({
      input: z
        .strictObject({
          format: format.prefault(pcm),
          transcription: z.looseObject({ model: text.optional() }).nullable().default(null),
          noise_reduction: object.nullable().default(null),
          // Turns are not detected: a client commits its audio.
          turn_detection: z.null().default(null),
        })
        .prefault({}),
      output: z
        .strictObject({
          format: format.prefault(pcm),
          voice: voice.default('alloy'),
          speed: z.number().min(0.25).max(1.5).default(1),
        })
        .prefault({}),
    })
    .prefault({}),
});
export type SessionSettings = z.infer<typeof session>;

const responseSettings = z.strictObject({
  ...speaking,
  audio: z
    .strictObject({
      output: z.strictObject({ format: format.optional(), voice: voice.optional() }).optional(),
    })
    .optional(),
  metadata: z.record(text.max(64), text.max(512)).nullish(),
  conversation: z.literal('auto').optional(),
});

const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), event_id: text.max(512).optional(), ...fields });

/** An event of a client. Unknown events and fields are rejected, as by the vendor. */
export const clientEvent = z.discriminatedUnion('type', [
  event('session.update', { session }),
  event('conversation.item.create', { item }),
  event('conversation.item.retrieve', { item_id: id }),
  event('conversation.item.delete', { item_id: id }),
  event('input_audio_buffer.append', { audio: z.base64() }),
  event('input_audio_buffer.commit', {}),
  event('input_audio_buffer.clear', {}),
  event('response.create', { response: responseSettings.nullish() }),
  event('response.cancel', { response_id: id.nullish() }),
]);
export type ClientEvent = z.infer<typeof clientEvent>;

/** Overwrites settings. Settings that `sent` does not contain are kept. */
export function mergeSettings(before: Schema, sent: Schema): Schema {
  const merged = { ...before };
  for (const [name, value] of Object.entries(sent)) {
    const old = merged[name];
    const nested = ['audio', 'input', 'output'].includes(name) && isSchema(old) && isSchema(value);
    merged[name] = nested ? mergeSettings(old, value) : value;
  }
  return merged;
}
