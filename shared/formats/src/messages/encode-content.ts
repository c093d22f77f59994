import type {
  AssistantPart,
  OpaquePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import { forwarded, opaqueText } from '../upstream/request-body.ts';
import { toolInput } from '../upstream/tools.ts';
import { cacheBreakpoint, mediaBlock } from './encode-media.ts';
import { callId, toolName } from './names.ts';
import type {
  MessagesBlockParam,
  MessagesContentParam,
  MessagesReasoningParam,
  MessagesTextParam,
  MessagesToolResultParam,
  MessagesToolUseParam,
} from './params.ts';

/** Encodes texts. Blank ones are left out: the vendor refuses them everywhere. */
export function textBlocks(parts: readonly TextPart[]): MessagesTextParam[] {
  return parts.filter(({ text }) => isWritten(text)).map(textBlock);
}

/** True for a text that is not blank. */
function isWritten(text: string): boolean {
  return /\S/.test(text);
}

function textBlock({ text, cache }: TextPart): MessagesTextParam {
  return { type: 'text', text, cache_control: cacheBreakpoint(cache) };
}

export function userBlocks(parts: UserPart[]): MessagesContentParam[] {
  return parts.flatMap(userBlock);
}

function userBlock(part: UserPart): MessagesContentParam[] {
  switch (part.type) {
    case 'text':
      return textBlocks([part]);
    case 'media':
      return [mediaBlock(part)];
    case 'opaque':
      return [opaqueBlock(part)];
  }
}

export function assistantBlocks(parts: AssistantPart[]): MessagesBlockParam[] {
  return parts.flatMap(assistantBlock);
}

function assistantBlock(part: AssistantPart): MessagesBlockParam[] {
  switch (part.type) {
    case 'refusal':
      return textBlocks([{ type: 'text', text: part.text }]);
    case 'reasoning':
      return thinkingBlocks(part);
    case 'tool-call':
      return [toolUseBlock(part)];
    case 'text':
    case 'media':
    case 'opaque':
      return userBlock(part);
  }
}

export function toolResultBlock(part: ToolResultPart): MessagesToolResultParam {
  const { callId: id, error, cache } = part;
  return {
    type: 'tool_result',
    tool_use_id: callId(id),
    content: resultContent(part),
    is_error: error ? true : undefined,
    cache_control: cacheBreakpoint(cache),
  };
}

function resultContent({ content, error }: ToolResultPart): MessagesToolResultParam['content'] {
  const [first] = content;
  const plain = content.length === 1 && first?.type === 'text' && !first.cache;
  if (plain && isWritten(first.text)) return first.text;
  const blocks = userBlocks(content);
  // An error needs content.
  if (blocks.length === 0) return error ? '(empty)' : '';
  return blocks;
}

function toolUseBlock(part: ToolCallPart): MessagesToolUseParam {
  const { id, name, cache } = part;
  return {
    type: 'tool_use',
    id: callId(id),
    name: toolName(name),
    input: toolInput(part),
    cache_control: cacheBreakpoint(cache),
  };
}

/** Encodes signed thinking of this format's vendor unchanged; drops all other reasoning. */
function thinkingBlocks({ text, signature, redacted }: ReasoningPart): MessagesReasoningParam[] {
  if (signature?.format !== 'messages' || signature.value === '') return [];
  return redacted
    ? [{ type: 'redacted_thinking', data: signature.value }]
    : [{ type: 'thinking', thinking: text, signature: signature.value }];
}

function opaqueBlock(part: OpaquePart): MessagesContentParam {
  const { format, value } = part;
  if (format === 'messages' && typeof value.type === 'string') return forwarded(value);
  return { type: 'text', text: opaqueText(part) };
}
