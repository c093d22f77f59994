import { responsesHostedItems, responsesHostedTools } from '@model-gateway/formats';
import { z } from 'zod';

const text = z.string();
const object = z.record(text, z.unknown());

const name = text
  .regex(/^[a-zA-Z0-9_-]+$/)
  .min(1)
  .max(128);

const shared = {
  name,
  description: text.nullish(),
  defer_loading: z.boolean().nullish(),
  allowed_callers: z.array(z.unknown()).nullish(),
};

const functionTool = z.strictObject({
  type: z.literal('function'),
  ...shared,
  parameters: object.nullish(),
  strict: z.boolean().nullish(),
  output_schema: object.nullish(),
  async: z.boolean().nullish(),
});

const customTool = z.strictObject({
  type: z.literal('custom'),
  ...shared,
  format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({ type: z.literal('grammar'), syntax: z.enum(['lark', 'regex']), definition: text }),
    ])
    .nullish(),
});

const namespaceTool = z.strictObject({
  type: z.literal('namespace'),
  name,
  description: text.nullish(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])),
});

/** Web search, the only one of the vendor's own tools that is simulated. */
const searches = [
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
] as const;
const hostedTool = z.looseObject({ type: z.enum([...searches, ...responsesHostedTools]) });

export const tool = z.discriminatedUnion('type', [functionTool, customTool, namespaceTool, hostedTool]);
export type Tool = z.infer<typeof tool>;

const chosen = z.strictObject({ type: text, name: text.nullish(), namespace: text.nullish() });

export const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.enum(['function', 'custom']), name, namespace: name.nullish() }),
    z.strictObject({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z.array(z.looseObject(chosen.shape)),
    }),
    z.looseObject({ type: z.enum([...searches, ...responsesHostedTools]) }),
  ]),
]);

const breakpoint = { prompt_cache_breakpoint: z.unknown().optional() };
const dataUrl = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w=.-]+)*;base64,/;

const textPart = z.strictObject({ type: z.literal('input_text'), text, ...breakpoint });

const imagePart = z.strictObject({
  type: z.literal('input_image'),
  image_url: text
    .refine(url => /^https?:\/\//.test(url) || dataUrl.test(url), {
      message: 'Expected a valid URL, but got a value with an invalid format.',
    })
    .nullish(),
  file_id: text.nullish(),
  detail: z.enum(['low', 'high', 'auto', 'original']).nullish(),
  ...breakpoint,
});

const filePart = z.strictObject({
  type: z.literal('input_file'),
  file_id: text.nullish(),
  file_url: text.nullish(),
  file_data: text
    .refine(data => dataUrl.test(data), { message: 'Expected a base64-encoded data URL with a MIME type.' })
    .nullish(),
  filename: text.nullish(),
  detail: z.enum(['low', 'high', 'auto']).nullish(),
  ...breakpoint,
});

const audioPart = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: text, format: z.enum(['mp3', 'wav']) }),
});

const inputPart = z.discriminatedUnion('type', [textPart, imagePart, filePart, audioPart]);

const resultPart = z.discriminatedUnion('type', [textPart, imagePart, filePart]);

const outputPart = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text,
    annotations: z.array(z.looseObject({ type: text })).nullish(),
    logprobs: z.array(z.unknown()).nullish(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: text }),
]);

const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish();
const id = (prefix: string) =>
  text
    .refine(value => value.startsWith(prefix), { message: `Expected an ID that begins with '${prefix}'.` })
    .nullish();
const callId = text.min(1).max(64);

const message = {
  type: z.literal('message'),
  status,
  phase: z.enum(['commentary', 'final_answer']).nullish(),
  internal_chat_message_metadata_passthrough: z.unknown().optional(),
};
const inputContent = z.union([text, z.array(inputPart)]);

const messageItem = z.discriminatedUnion('role', [
  z.strictObject({ ...message, id: text.nullish(), role: z.literal('user'), content: inputContent }),
  z.strictObject({ ...message, id: text.nullish(), role: z.literal('system'), content: inputContent }),
  z.strictObject({ ...message, id: text.nullish(), role: z.literal('developer'), content: inputContent }),
  z.strictObject({
    ...message,
    id: id('msg'),
    role: z.literal('assistant'),
    content: z.union([text, z.array(outputPart)]),
  }),
]);

const call = { call_id: callId, status, caller: z.unknown().optional() };
const named = { ...call, name, namespace: name.nullish(), async: z.boolean().nullish() };
const result = { ...call, id: text.nullish(), output: z.union([text.max(10_485_760), z.array(resultPart)]) };

const reasoning = z.strictObject({
  type: z.literal('reasoning'),
  id: id('rs'),
  summary: z.array(z.strictObject({ type: z.literal('summary_text'), text })),
  content: z.array(z.strictObject({ type: z.literal('reasoning_text'), text })).nullish(),
  encrypted_content: text.nullish(),
  status,
});

const known = z.discriminatedUnion('type', [
  messageItem,
  z.strictObject({ type: z.literal('function_call'), ...named, id: id('fc'), arguments: text }),
  z.strictObject({
    type: z.literal('function_call_output'),
    ...result,
    name: text.nullish(),
    namespace: text.nullish(),
  }),
  z.strictObject({ type: z.literal('custom_tool_call'), ...named, id: id('ctc'), input: text }),
  z.strictObject({ type: z.literal('custom_tool_call_output'), ...result }),
  reasoning,
  z.strictObject({ type: z.literal('item_reference'), id: text }),
  z.strictObject({ type: z.literal('compaction'), id: text.nullish(), encrypted_content: text }),
  z.strictObject({
    type: z.literal('additional_tools'),
    id: text.nullish(),
    role: z.literal('developer'),
    tools: z.array(tool),
  }),
  z.looseObject({ type: z.enum(responsesHostedItems) }),
]);

/** A message and a reference may leave out their type. Unknown fields are rejected. */
export const item = z.preprocess(typed, known);
export type Item = z.infer<typeof item>;
export type ItemOf<T extends Item['type']> = Extract<Item, { type: T }>;

function typed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if ('type' in value && value.type !== null) return value;
  return { ...value, type: 'role' in value ? 'message' : 'item_reference' };
}
