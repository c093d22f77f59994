import { responsesHostedTools } from '@model-gateway/wire';
import { z } from 'zod';

const text = z.string();
const object = z.record(text, z.unknown());

export const name = text
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
export type FunctionTool = z.infer<typeof functionTool>;

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
export type CalledTool = Extract<Tool, { type: 'function' | 'custom' }>;

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
export type ToolChoice = z.infer<typeof toolChoice>;
