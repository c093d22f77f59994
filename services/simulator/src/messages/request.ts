import { z } from 'zod';

const cacheControl = z.strictObject({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h']).optional(),
});
const cacheable = { cache_control: cacheControl.nullish() };

const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.array(z.unknown()).nullish(),
  ...cacheable,
});

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(imageTypes),
      data: z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, 'image cannot be empty and must be base64'),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
    z.strictObject({ type: z.literal('file'), file_id: z.string() }),
  ]),
  ...cacheable,
});

const documentBlock = z.looseObject({
  type: z.literal('document'),
  source: z.looseObject({ type: z.enum(['base64', 'text', 'content', 'url', 'file']) }),
  ...cacheable,
});

const idPattern = /^[a-zA-Z0-9_-]+$/;
const id = z.string().regex(idPattern, `String should match pattern '${idPattern.source}'`);

const toolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id,
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  caller: z.unknown().optional(),
  toolset_name: z.string().nullish(),
  ...cacheable,
});

const toolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: id,
  content: z.preprocess(
    asBlocks,
    z
      .array(
        z.discriminatedUnion('type', [
          textBlock,
          imageBlock,
          documentBlock,
          z.looseObject({ type: z.enum(['search_result', 'tool_reference', 'browser_state']) }),
        ]),
      )
      .nullish(),
  ),
  is_error: z.boolean().nullish(),
  toolset_name: z.string().nullish(),
  ...cacheable,
});

const thinkingBlock = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
});
const redactedBlock = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });

/** Blocks that are accepted but not read. */
const otherTypes = [
  ...(['search_result', 'server_tool_use', 'web_search_tool_result', 'web_fetch_tool_result'] as const),
  ...(['code_execution_tool_result', 'tool_search_tool_result', 'container_upload'] as const),
  ...(['bash_code_execution_tool_result', 'text_editor_code_execution_tool_result'] as const),
  ...(['mcp_tool_use', 'mcp_tool_result', 'compaction', 'fallback', 'advisor_tool_result'] as const),
];

const block = z.discriminatedUnion('type', [
  textBlock,
  imageBlock,
  documentBlock,
  toolUseBlock,
  toolResultBlock,
  thinkingBlock,
  redactedBlock,
  z.looseObject({ type: z.enum(otherTypes), ...cacheable }),
]);

export type Block = z.infer<typeof block>;
export type ToolUse = z.infer<typeof toolUseBlock>;
export type ToolResultBlock = z.infer<typeof toolResultBlock>;

/** Turns a string into a text block. */
function asBlocks(content: unknown): unknown {
  return typeof content === 'string' ? [{ type: 'text', text: content }].filter(({ text }) => text) : content;
}

const message = z.strictObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.preprocess(asBlocks, z.array(block)),
});

const customTool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
  description: z.string().nullish(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  cache_control: cacheControl.nullish(),
  strict: z.boolean().nullish(),
  input_examples: z.array(z.unknown()).nullish(),
  defer_loading: z.boolean().nullish(),
  allowed_callers: z.array(z.string()).nullish(),
  eager_input_streaming: z.boolean().nullish(),
});

const vendorTools = (
  'bash_20250124 text_editor_20250124 text_editor_20250429 text_editor_20250728 ' +
  'memory_20250818 code_execution_20250522 code_execution_20250825 ' +
  'code_execution_20260120 code_execution_20260521 web_search_20250305 ' +
  'web_search_20260209 web_search_20260318 web_fetch_20250910 web_fetch_20260209 ' +
  'web_fetch_20260309 web_fetch_20260318 tool_search_tool_bm25_20251119 ' +
  'tool_search_tool_regex_20251119 browser_toolset_20260801 computer_toolset_20260801 ' +
  'computer_20250124 computer_20251124 advisor_20260301 mcp_toolset'
).split(' ');

const typedTool = z.looseObject({
  type: z.enum(vendorTools as [string, ...string[]]),
  name: z.string().optional(),
  cache_control: cacheControl.nullish(),
});

const tool = z.discriminatedUnion('type', [customTool, typedTool]);

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };
const toolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...parallel }),
  z.strictObject({ type: z.literal('any'), ...parallel }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
  z.strictObject({ type: z.literal('none') }),
]);

const display = { display: z.enum(['summarized', 'omitted']).nullish() };
const thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1_024), ...display }),
  z.strictObject({ type: z.literal('adaptive'), ...display }),
  z.strictObject({ type: z.literal('between_tools') }),
  z.strictObject({ type: z.literal('disabled') }),
]);

const outputFormat = z.strictObject({ type: z.literal('json_schema'), schema: z.looseObject({}) });

const countFields = {
  model: z.string().min(1).max(256),
  messages: z.array(message).min(1, 'at least one message is required').max(100_000),
  system: z.preprocess(asBlocks, z.array(textBlock)).optional(),
  tools: z.array(tool).optional(),
  tool_choice: toolChoice.optional(),
  thinking: thinking.optional(),
  output_config: z
    .looseObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: outputFormat.nullish(),
    })
    .optional(),
  cache_control: cacheControl.nullish(),
  speed: z.enum(['standard', 'fast']).nullish(),
  // Fields of betas.
  context_management: z.unknown().optional(),
  mcp_servers: z.unknown().optional(),
  compaction: z.unknown().optional(),
  thread: z.unknown().optional(),
  output_format: outputFormat.nullish(),
};

/** A request to count tokens. */
export const countRequest = z.strictObject(countFields);

/** Unknown fields are rejected, as the vendor rejects them. */
export const messagesRequest = z.strictObject({
  ...countFields,
  max_tokens: z.int().min(0),
  stream: z.boolean().optional(),
  temperature: z.number().min(0, 'range: 0..1').max(1, 'range: 0..1').optional(),
  top_p: z.number().min(0, 'range: 0..1').max(1, 'range: 0..1').optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z
    .array(z.string().regex(/\S/, 'each stop sequence must contain non-whitespace'))
    .optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  container: z.unknown().optional(),
  inference_geo: z.string().nullish(),
  diagnostics: z.unknown().optional(),
  fallbacks: z.unknown().optional(),
  billing_policy: z.unknown().optional(),
});

type MessagesRequest = z.infer<typeof messagesRequest>;
export type CountRequest = z.infer<typeof countRequest> & Partial<MessagesRequest>;
export type Message = z.infer<typeof message>;
