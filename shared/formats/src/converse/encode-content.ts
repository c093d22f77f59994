import type {
  AssistantPart,
  CacheHint,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import { opaqueText } from '../upstream/request-body.ts';
import { toolInput, toolName } from '../upstream/tools.ts';
import { mediaBlock } from './encode-media.ts';
import type { ModelTraits } from './models.ts';
import { callId, type DocumentNames } from './names.ts';
import type { ConverseBlockParam, ConverseReasoningParam, ConverseTextParam } from './params.ts';

/** The facts on which the blocks of a request depend. */
export interface BlockContext {
  traits: ModelTraits;
  names: DocumentNames;
  /** True if the request has tools: without, a history's calls and results are text, since Bedrock refuses their blocks. */
  hasTools: boolean;
}

/** Encodes texts. Blank ones are left out: Bedrock refuses them. */
export function textBlocks(parts: TextPart[], context: BlockContext): ConverseBlockParam[] {
  return parts.flatMap(part => [...textBlock(part.text), ...cachePoint(part.cache, context)]);
}

function textBlock(text: string): ConverseTextParam[] {
  return text.trim() === '' ? [] : [{ text }];
}

/** Returns the breakpoint after a block that is cached; none for models that refuse it. */
export function cachePoint(
  cache: CacheHint | undefined,
  { traits }: Pick<BlockContext, 'traits'>,
): Extract<ConverseBlockParam, { cachePoint: unknown }>[] {
  if (!cache || !traits.caches) return [];
  const ttl = traits.cacheTtl ? cache.ttl : undefined;
  return [{ cachePoint: { type: 'default', ...(ttl && { ttl }) } }];
}

export function userBlocks(parts: UserPart[], context: BlockContext): ConverseBlockParam[] {
  return parts.flatMap(part => userBlock(part, context));
}

function userBlock(part: UserPart, context: BlockContext): ConverseBlockParam[] {
  switch (part.type) {
    case 'text':
      return textBlocks([part], context);
    case 'media':
      return [mediaBlock(part, context.names), ...cachePoint(part.cache, context)];
    case 'opaque':
      return textBlock(opaqueText(part));
  }
}

export function assistantBlocks(parts: AssistantPart[], context: BlockContext): ConverseBlockParam[] {
  return parts.flatMap(part => assistantBlock(part, context));
}

function assistantBlock(part: AssistantPart, context: BlockContext): ConverseBlockParam[] {
  switch (part.type) {
    case 'refusal':
      return textBlock(part.text);
    case 'reasoning':
      return reasoningBlocks(part);
    case 'tool-call':
      return callBlocks(part, context);
    case 'text':
    case 'media':
    case 'opaque':
      return userBlock(part, context);
  }
}

/** Encodes reasoning that a model of Bedrock signed, unchanged; drops all other reasoning. */
function reasoningBlocks({ text, signature, redacted }: ReasoningPart): ConverseReasoningParam[] {
  if (signature?.format !== 'converse' || signature.value === '') return [];
  return redacted
    ? [{ reasoningContent: { redactedContent: signature.value } }]
    : [{ reasoningContent: { reasoningText: { text, signature: signature.value } } }];
}

function callBlocks(part: ToolCallPart, context: BlockContext): ConverseBlockParam[] {
  const { id, name, arguments: text, cache } = part;
  if (!context.hasTools) return textBlock(`[Called the tool ${name} with ${text || '{}'}]`);
  const toolUseId = callId(id, context.traits.shortIds);
  return [
    { toolUse: { toolUseId, name: toolName(name), input: toolInput(part) } },
    ...cachePoint(cache, context),
  ];
}

export function resultBlocks(part: ToolResultPart, context: BlockContext): ConverseBlockParam[] {
  const content = userBlocks(part.content, context).filter(block => !('cachePoint' in block));
  if (!context.hasTools)
    return [...textBlock(`[The tool answered${part.error ? ' with an error' : ''}:]`), ...content];
  return [
    {
      toolResult: {
        toolUseId: callId(part.callId, context.traits.shortIds),
        // A result needs content, and text that is not blank.
        content: (content.length > 0 ? content : [{ text: '(empty)' }]) as ConverseResultContent,
        ...(part.error && { status: 'error' as const }),
      },
    },
    ...cachePoint(part.cache, context),
  ];
}

type ConverseResultContent = Extract<ConverseBlockParam, { toolResult: unknown }>['toolResult']['content'];
