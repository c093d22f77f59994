import {
  type AssistantPart,
  type OpaquePart,
  parseExact,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type UserPart,
} from '@model-gateway/canonical';
import { opaqueText } from '../opaque-text.ts';
import { type Block, cacheBreakpoint, mediaBlock, refuse } from './encode-media.ts';
import { callId, toolName } from './names.ts';

/** Encodes texts. Empty ones are left out: upstreams refuse them everywhere. */
export function textBlocks(parts: TextPart[]): Block[] {
  return parts
    .filter(({ text }) => text !== '')
    .map(({ text, cache }) => ({ type: 'text', text, ...cacheBreakpoint(cache) }));
}

export function userBlocks(parts: UserPart[]): Block[] {
  return parts.flatMap(userBlock);
}

function userBlock(part: UserPart): Block[] {
  switch (part.type) {
    case 'text':
      return textBlocks([part]);
    case 'media':
      return [mediaBlock(part)];
    case 'opaque':
      return [opaqueBlock(part)];
  }
}

export function assistantBlocks(parts: AssistantPart[]): Block[] {
  return parts.flatMap(assistantBlock);
}

function assistantBlock(part: AssistantPart): Block[] {
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

export function toolResultBlock({ callId: id, content, error, cache }: ToolResultPart): Block {
  return {
    type: 'tool_result',
    tool_use_id: callId(id),
    content: resultContent(content),
    ...(error && { is_error: true }),
    ...cacheBreakpoint(cache),
  };
}

function resultContent(content: ToolResultPart['content']): string | Block[] {
  const [first] = content;
  const plain = content.length === 1 && first?.type === 'text' && !first.cache;
  return plain ? first.text : userBlocks(content);
}

function toolUseBlock(part: ToolCallPart): Block {
  const { id, name, cache } = part;
  return {
    type: 'tool_use',
    id: callId(id),
    name: toolName(name),
    input: toolInput(part),
    ...cacheBreakpoint(cache),
  };
}

/** Encodes signed thinking of this format's vendor unchanged; drops all other reasoning. */
function thinkingBlocks({ text, signature, redacted }: ReasoningPart): Block[] {
  if (signature?.format !== 'messages' || signature.value === '') return [];
  return redacted
    ? [{ type: 'redacted_thinking', data: signature.value }]
    : [{ type: 'thinking', thinking: text, signature: signature.value }];
}

function opaqueBlock(part: OpaquePart): Block {
  const { format, value } = part;
  if (format === 'messages' && typeof value.type === 'string') return { ...value, type: value.type };
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
