import {
  type AssistantPart,
  GatewayError,
  type GenerateRequest,
  type Message,
  type ReasoningPart,
  type ToolCallPart,
  type ToolResultPart,
  type UserPart,
} from '@model-gateway/canonical';
import type { ResponsesInputItem, ResponsesPart } from '@model-gateway/wire';
import { documentText } from '../encode-openai-media.ts';
import { opaqueText } from '../opaque-text.ts';
import { checkPairing } from '../pairing.ts';
import { callId, toolName } from '../tool-names.ts';
import { encodeMedia, mediaPart } from './encode-media.ts';
import { readProof } from './sanitize-history.ts';

/** An item as it is sent. */
export type ResponsesSent = ResponsesInputItem | ResultItem;

interface ResultItem {
  type: 'function_call_output' | 'custom_tool_call_output';
  call_id: string;
  output: string | ResponsesPart[];
}

/**
 * A conversation as items. Instructions stay where they are, as messages of the system's; `prefill` says that for the
 * client a last turn of the model is one to go on with, where here it would begin another.
 */
export function encodeInput({ messages }: GenerateRequest, prefill: boolean): ResponsesSent[] {
  if (prefill && messages.at(-1)?.role === 'assistant')
    throw new GatewayError(
      'invalid-request',
      "Unsupported value for 'input': this model cannot go on with a last message of the assistant.",
      { param: 'input', code: 'unsupported_value' },
    );
  checkPairing(messages);
  const custom = customCalls(messages);
  return messages.flatMap(message => encodeTurn(message, custom));
}

/** The ids of calls whose results have an item of their own type. */
function customCalls(messages: readonly Message[]): Set<string> {
  const parts = messages.flatMap(message => (message.role === 'assistant' ? message.content : []));
  return new Set(parts.flatMap(part => (part.type === 'tool-call' && part.custom ? part.id : [])));
}

function encodeTurn(message: Message, custom: ReadonlySet<string>): ResponsesSent[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ type: 'message', role: message.role, content: message.content.map(encodeSaid) }];
    case 'assistant':
      return encodeAssistant(message.content);
    case 'tool':
      return message.content.map(result => encodeResult(result, custom.has(result.callId)));
  }
}

function encodeSaid(part: UserPart): ResponsesPart {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'media':
      return encodeMedia(part);
    case 'opaque':
      if (part.format === 'responses') return part.value as ResponsesPart;
      return { type: 'input_text', text: opaqueText(part) };
  }
}

/** A turn of the model: what it said between its thoughts and calls is a message each time. */
function encodeAssistant(parts: readonly AssistantPart[]): ResponsesInputItem[] {
  const items: ResponsesInputItem[] = [];
  for (const part of parts) {
    const said = representable(part);
    const last = items.at(-1);
    if (!said) items.push(...encodeItem(part));
    else if (last?.type === 'message') last.content.push(said);
    else items.push({ type: 'message', role: 'assistant', content: [said] });
  }
  // Reasoning is refused where nothing follows that came of it.
  return items.slice(0, items.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}

/** What is part of a message; undefined for what is an item of its own, and for what is empty. */
function representable(part: AssistantPart): ResponsesPart | undefined {
  switch (part.type) {
    case 'text':
      return spoken(part.text);
    case 'refusal':
      return part.text === '' ? undefined : { type: 'refusal', refusal: part.text };
    case 'media':
      return spoken(part.source.type === 'text' ? documentText(part, part.source.text) : `(${part.kind})`);
    case 'opaque':
      return part.format === 'responses' ? undefined : spoken(opaqueText(part));
    case 'reasoning':
    case 'tool-call':
      return undefined;
  }
}

function spoken(text: string): ResponsesPart | undefined {
  return text === '' ? undefined : { type: 'output_text', text };
}

function encodeItem(part: AssistantPart): ResponsesInputItem[] {
  switch (part.type) {
    case 'reasoning':
      return encodeReasoning(part);
    case 'tool-call':
      return [encodeCall(part)];
    case 'opaque':
      return part.format === 'responses' ? [part.value as ResponsesInputItem] : [];
    case 'text':
    case 'refusal':
    case 'media':
      return [];
  }
}

/** Reasoning goes back to the vendor that can read it, and to no other. */
function encodeReasoning({ text, signature }: ReasoningPart): ResponsesInputItem[] {
  const proof = readProof(signature);
  if (!proof) return [];
  const { id, encrypted } = proof;
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [{ type: 'reasoning', ...(id && { id }), summary, encrypted_content: encrypted }];
}

function encodeCall({ id, name, arguments: text, custom }: ToolCallPart): ResponsesInputItem {
  const call = { call_id: callId(id), name: toolName(name) };
  if (custom) return { type: 'custom_tool_call', ...call, input: text };
  return { type: 'function_call', ...call, arguments: text.trim() === '' ? '{}' : text };
}

function encodeResult({ callId: id, content, error }: ToolResultPart, custom: boolean): ResultItem {
  const parts = content.map(encodeShown);
  return {
    type: custom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: callId(id),
    output: asOutput(error ? asError(parts) : parts),
  };
}

/** The format has no mark for a result that is an error. */
function asError([first, ...more]: ResponsesPart[]): ResponsesPart[] {
  if (first?.type === 'input_text') return [{ ...first, text: `Error: ${first.text}` }, ...more];
  return [{ type: 'input_text', text: 'Error:' }, ...(first ? [first] : []), ...more];
}

/** What a tool showed; nothing of it is left out. */
function encodeShown(part: ToolResultPart['content'][number]): ResponsesPart {
  if (part.type !== 'media') return encodeSaid(part);
  // Outputs take no audio.
  const shown = part.kind === 'audio' ? undefined : mediaPart(part);
  return shown ?? { type: 'input_text', text: JSON.stringify(part) };
}

/** One text is a string, which every upstream takes. */
function asOutput(parts: ResponsesPart[]): string | ResponsesPart[] {
  const [only, ...more] = parts;
  if (!only) return '';
  return only.type === 'input_text' && more.length === 0 ? only.text : parts;
}
