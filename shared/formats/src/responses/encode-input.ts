import type {
  AssistantPart,
  GenerateRequest,
  MediaPart,
  Message,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import type { ChatPartParam } from '../chat/request.ts';
import { paired } from '../upstream/call-ids.ts';
import {
  asHeld,
  documentText,
  encodeMedia as encodeChatMedia,
  isEncodable,
} from '../upstream/encode-media.ts';
import { forwarded, opaqueText, unsupported } from '../upstream/request-body.ts';
import { callId, toolName } from '../upstream/tools.ts';
import type {
  ResponsesItemParam,
  ResponsesOutputParam,
  ResponsesPartParam,
  ResponsesResultParam,
  ResponsesTextParam,
} from './input.ts';
import { readSignature } from './sanitize-history.ts';

/**
 * Writes a conversation as items. Instructions stay in place as system messages.
 * @throws GatewayError for a last turn that the model continues: this API would start a new turn
 */
export function encodeInput({ messages, continuesLastTurn }: GenerateRequest): ResponsesItemParam[] {
  if (continuesLastTurn)
    throw unsupported('messages', 'this model cannot continue a final assistant message');
  return writeItems(paired(messages));
}

/** Writes the turns of a conversation as items, each as it is. */
export function writeItems(messages: readonly Message[]): ResponsesItemParam[] {
  const custom = customCalls(messages);
  return messages.flatMap(message => encodeTurn(message, custom));
}

/** Returns the ids of calls of custom tools, whose results have another item type. */
function customCalls(messages: readonly Message[]): Set<string> {
  const parts = messages.flatMap(message => (message.role === 'assistant' ? message.content : []));
  return new Set(parts.flatMap(part => (part.type === 'tool-call' && part.custom ? part.id : [])));
}

function encodeTurn(message: Message, custom: ReadonlySet<string>): ResponsesItemParam[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ type: 'message', role: message.role, content: message.content.map(encodeUserPart) }];
    case 'assistant':
      return encodeAssistant(message.content);
    case 'tool':
      return message.content.map(result => encodeResult(result, custom.has(result.callId)));
  }
}

function encodeUserPart(part: UserPart): ResponsesPartParam {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'media':
      return encodeMedia(part);
    case 'opaque':
      if (part.format === 'responses') return forwarded(part.value);
      return { type: 'input_text', text: opaqueText(part) };
  }
}

/** Writes a model turn. Text between reasoning and calls becomes a message each time. */
function encodeAssistant(parts: readonly AssistantPart[]): ResponsesOutputParam[] {
  const items: ResponsesOutputParam[] = [];
  for (const part of parts) {
    const written = messagePart(part);
    const last = items.at(-1);
    if (!written) items.push(...encodeItem(part));
    else if (last?.type === 'message') last.content.push(written);
    else items.push({ type: 'message', role: 'assistant', content: [written] });
  }
  // The vendor refuses reasoning without an item after it.
  return items.slice(0, items.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}

/** Writes a part of a message; undefined for a part that is its own item, or empty. */
function messagePart(part: AssistantPart): ResponsesTextParam | undefined {
  switch (part.type) {
    case 'text':
      return outputText(part.text);
    case 'refusal':
      return part.text === '' ? undefined : { type: 'refusal', refusal: part.text };
    case 'media':
      return outputText(
        part.source.type === 'text' ? documentText(part, part.source.text) : `(${part.kind})`,
      );
    case 'opaque':
      return part.format === 'responses' ? undefined : outputText(opaqueText(part));
    case 'reasoning':
    case 'tool-call':
      return undefined;
  }
}

function outputText(text: string): ResponsesTextParam | undefined {
  return text === '' ? undefined : { type: 'output_text', text };
}

function encodeItem(part: AssistantPart): ResponsesOutputParam[] {
  switch (part.type) {
    case 'reasoning':
      return encodeReasoning(part);
    case 'tool-call':
      return [encodeCall(part)];
    case 'opaque':
      return part.format === 'responses' ? [forwarded(part.value)] : [];
    case 'text':
    case 'refusal':
    case 'media':
      return [];
  }
}

/** Writes reasoning that this vendor signed. No other vendor's reasoning is sent. */
function encodeReasoning({ text, signature }: ReasoningPart): ResponsesOutputParam[] {
  const reasoning = readSignature(signature);
  if (!reasoning) return [];
  const { id, encrypted } = reasoning;
  const summary = text === '' ? [] : [{ type: 'summary_text' as const, text }];
  return [{ type: 'reasoning', id: id || undefined, summary, encrypted_content: encrypted }];
}

function encodeCall({ id, name, arguments: text, custom }: ToolCallPart): ResponsesOutputParam {
  const call = { call_id: callId(id), name: toolName(name) };
  if (custom) return { type: 'custom_tool_call', ...call, input: text };
  return { type: 'function_call', ...call, arguments: text.trim() === '' ? '{}' : text };
}

function encodeResult({ callId: id, content, error }: ToolResultPart, custom: boolean): ResponsesResultParam {
  const parts = content.map(encodeResultPart);
  return {
    type: custom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: callId(id),
    output: asOutput(error ? asError(parts) : parts),
  };
}

/** Marks a result as an error in its text, because the format has no field for that. */
function asError([first, ...more]: ResponsesPartParam[]): ResponsesPartParam[] {
  if (first?.type === 'input_text') return [{ ...first, text: `Error: ${first.text}` }, ...more];
  return [{ type: 'input_text', text: 'Error:' }, ...(first ? [first] : []), ...more];
}

/** Writes a part of a result. Unsupported media is sent as JSON text. */
function encodeResultPart(part: ToolResultPart['content'][number]): ResponsesPartParam {
  if (part.type !== 'media') return encodeUserPart(part);
  // Tool outputs do not support audio.
  const media = part.kind === 'audio' ? undefined : mediaPart(part);
  return media ?? { type: 'input_text', text: JSON.stringify(part) };
}

/** Writes a single text as a string, which every upstream supports. */
function asOutput(parts: ResponsesPartParam[]): ResponsesResultParam['output'] {
  const [only, ...more] = parts;
  if (!only) return '';
  return only.type === 'input_text' && more.length === 0 ? only.text : parts;
}

/** Writes media of a user message. @throws GatewayError of kind `invalid-request` for unsupported media */
function encodeMedia(part: MediaPart): ResponsesPartParam {
  const encoded = mediaPart(part);
  if (encoded) return encoded;
  const what = part.source.type === 'file' ? 'files stored at another provider' : `${part.kind} by URL`;
  throw unsupported('messages', `this model's provider does not take ${what}`);
}

/** Writes media; undefined if the format does not support it. */
function mediaPart(media: MediaPart): ResponsesPartParam | undefined {
  const part = asHeld(media);
  const { kind, source } = part;
  if (source.type === 'file') return isVendorFile(source) ? filePart(kind, source.id) : undefined;
  if (source.type === 'url' && kind === 'document') return { type: 'input_file', file_url: source.url };
  // Everything else is the same as in the chat format.
  return isEncodable(part) ? asPart(encodeChatMedia(part)) : undefined;
}

/** True for a file stored at the vendor, through either of its formats. */
function isVendorFile({ format }: { format: string }): boolean {
  return format === 'responses' || format === 'chat';
}

function filePart(kind: MediaPart['kind'], id: string): ResponsesPartParam | undefined {
  switch (kind) {
    case 'image':
      return { type: 'input_image', file_id: id };
    case 'document':
      return { type: 'input_file', file_id: id };
    case 'audio':
      return undefined;
  }
}

function asPart(part: ChatPartParam): ResponsesPartParam {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url':
      return { type: 'input_image', image_url: part.image_url.url };
    case 'input_audio':
      return { type: 'input_audio', input_audio: part.input_audio };
    case 'file':
      return { type: 'input_file', ...part.file };
  }
}
