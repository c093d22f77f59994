import type {
  AssistantPart,
  OpaquePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import { parseExact } from '@model-gateway/json';
import type {
  MessagesBlockParam,
  MessagesContentParam,
  MessagesReasoningParam,
  MessagesTextParam,
  MessagesToolResultParam,
  MessagesToolUseParam,
} from '@model-gateway/wire';
import { forwarded, opaqueText } from '../request-body.ts';
import { refuse } from '../unsupported.ts';
import { cacheBreakpoint, mediaBlock } from './encode-media.ts';
import { callId, toolName } from './names.ts';

/** Encodes texts. Empty ones are left out: upstreams refuse them everywhere. */
export function textBlocks(parts: TextPart[]): MessagesTextParam[] {
  return parts.filter(({ text }) => text !== '').map(textBlock);
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
  const { callId: id, content, error, cache } = part;
  return {
    type: 'tool_result',
    tool_use_id: callId(id),
    content: resultContent(content),
    is_error: error ? true : undefined,
    cache_control: cacheBreakpoint(cache),
  };
}

function resultContent(content: ToolResultPart['content']): MessagesToolResultParam['content'] {
  const [first] = content;
  const plain = content.length === 1 && first?.type === 'text' && !first.cache;
  return plain ? first.text : userBlocks(content);
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

/** Returns a call's arguments as an object with exact numbers. @throws GatewayError for malformed arguments */
export function toolInput({ id, name, arguments: text, custom }: ToolCallPart): Record<string, unknown> {
  if (custom) return { input: text };
  if (text.trim() === '') return {};
  const value = parse(text, id, name);
  if (value === null) return {};
  // `parseExact` may return a number as an object, so the text is checked instead.
  return text.trimStart().startsWith('{') ? (value as Record<string, unknown>) : { value };
}

function parse(text: string, id: string, name: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return refuse('messages', `The arguments of the call '${id}' of the tool '${name}' are not valid JSON.`);
  }
}
