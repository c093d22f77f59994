import { z } from 'zod';

export const cacheControl = z.strictObject({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h']).optional(),
});
const cacheable = { cache_control: cacheControl.nullish() };

export const textBlock = z.strictObject({
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

/** Blocks that are accepted and not read. */
const otherTypes = [
  'search_result',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'container_upload',
  'mcp_tool_use',
  'mcp_tool_result',
  'compaction',
  'fallback',
  'advisor_tool_result',
] as const;

export const block = z.discriminatedUnion('type', [
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
export type CacheControl = z.infer<typeof cacheControl>;

/** Text that stands alone is one block of it. */
export function asBlocks(content: unknown): unknown {
  return typeof content === 'string' ? [{ type: 'text', text: content }].filter(({ text }) => text) : content;
}
