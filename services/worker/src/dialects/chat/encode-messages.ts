import {
  type AssistantPart,
  GatewayError,
  type GenerateRequest,
  type Message,
  type ToolCallPart,
  type ToolResultPart,
  type UserPart,
} from '@model-gateway/canonical';
import type { ChatToolCall, ChatToolCallDelta, ChatUserPart } from '@model-gateway/wire';
import { documentText, encodeMedia, isEncodable } from '../encode-openai-media.ts';
import { opaqueText } from '../opaque-text.ts';
import { checkPairing } from '../pairing.ts';
import { callId, toolName } from '../tool-names.ts';

type Content = string | ChatUserPart[];

/** A message as it is sent. */
export type ChatSent =
  | { role: 'system' | 'user'; content: Content }
  | { role: 'tool'; tool_call_id: string; content: Content }
  | {
      role: 'assistant';
      content: string | null;
      refusal?: string;
      reasoning_content?: string;
      tool_calls?: ChatToolCall[];
    };

export interface MessageOptions {
  /** The upstream is the format's own vendor, which takes no reasoning text. */
  original: boolean;
  /** For the client, a last turn of the model is one to go on with; here the model would begin another. */
  prefill: boolean;
  /** The model is Google's, which wants its signatures back; other upstreams may refuse the field. */
  signed: boolean;
}

export function encodeMessages({ messages }: GenerateRequest, options: MessageOptions): ChatSent[] {
  if (options.prefill && messages.at(-1)?.role === 'assistant')
    throw new GatewayError(
      'invalid-request',
      "Unsupported value for 'messages': this model cannot go on with a last message of the assistant.",
      { param: 'messages', code: 'unsupported_value' },
    );
  checkPairing(messages);
  const sent: ChatSent[] = [];
  let shown: ChatUserPart[] = [];
  for (const message of messages) {
    // What tools showed goes before what the user says next: their own messages hold text only.
    if (message.role === 'user') {
      sent.push({ role: 'user', content: asContent([...shown, ...encodeParts(message.content)]) });
      shown = [];
      continue;
    }
    if (shown.length > 0 && message.role !== 'tool') sent.push({ role: 'user', content: asContent(shown) });
    if (message.role !== 'tool') shown = [];
    sent.push(...encodeTurn(message, options));
    if (message.role === 'tool') shown.push(...message.content.flatMap(encodeShown));
  }
  if (shown.length > 0) sent.push({ role: 'user', content: asContent(shown) });
  return sent;
}

function encodeTurn(message: Exclude<Message, { role: 'user' }>, options: MessageOptions): ChatSent[] {
  switch (message.role) {
    case 'system':
      return [
        { role: 'system', content: asContent(message.content.map(({ text }) => ({ type: 'text', text }))) },
      ];
    case 'assistant':
      return [encodeAssistant(message.content, options)];
    case 'tool':
      return message.content.map(encodeResult);
  }
}

/** One text is a string, which every upstream takes. */
function asContent(parts: ChatUserPart[]): Content {
  const [only, ...more] = parts;
  if (!only) return '';
  return only.type === 'text' && more.length === 0 ? only.text : parts;
}

function encodeParts(parts: readonly UserPart[]): ChatUserPart[] {
  return parts.map(part => {
    switch (part.type) {
      case 'text':
        return { type: 'text', text: part.text };
      case 'media':
        return encodeMedia(part);
      case 'opaque':
        if (part.format === 'chat') return part.value as ChatUserPart;
        return { type: 'text', text: opaqueText(part) };
    }
    return part satisfies never;
  });
}

/** The text of a result, with a word for what follows in a user's message; nothing of it is left out. */
function encodeResult({ callId: id, content, error }: ToolResultPart): ChatSent {
  const texts = content.map(part => {
    if (part.type === 'text') return part.text;
    if (part.type === 'opaque') return opaqueText(part);
    if (part.source.type === 'text') return documentText(part, part.source.text);
    return isEncodable(part) ? `(${part.kind}: see the user message that follows)` : JSON.stringify(part);
  });
  const [first = '', ...more] = texts;
  const marked = [error ? `Error: ${first}` : first, ...more];
  const parts = marked.map(text => ({ type: 'text' as const, text }));
  return { role: 'tool', tool_call_id: callId(id), content: asContent(parts) };
}

/** What a result shows rather than says. */
function encodeShown({ callId: id, content }: ToolResultPart): ChatUserPart[] {
  const media = content.filter(part => part.type === 'media');
  const shown = media.filter(part => part.source.type !== 'text' && isEncodable(part)).map(encodeMedia);
  return shown.length > 0 ? [{ type: 'text', text: `Shown by tool call ${callId(id)}:` }, ...shown] : [];
}

function encodeAssistant(parts: readonly AssistantPart[], { original, signed }: MessageOptions): ChatSent {
  const called = parts.filter(part => part.type === 'tool-call');
  const calls = called.map(part => ({ ...encodeCall(part), ...(signed && encodeProof(part)) }));
  const text = spoken(parts);
  const refusal = joined(parts, 'refusal');
  const reasoning = original ? '' : joined(parts, 'reasoning');
  const silent = text === '' && (calls.length > 0 || refusal !== '');
  return {
    role: 'assistant',
    content: silent ? null : text,
    ...(refusal && { refusal }),
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** What the model said, with what else it made in words: nothing of it is left out. */
function spoken(parts: readonly AssistantPart[]): string {
  let text = '';
  let apart = false;
  for (const part of parts) {
    const said = wordsOf(part);
    if (said === undefined || said === '') continue;
    const block = part.type !== 'text';
    text += text !== '' && (apart || block) ? `\n${said}` : said;
    apart = block;
  }
  return text;
}

/** Undefined for what has a place of its own. */
function wordsOf(part: AssistantPart): string | undefined {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'opaque':
      return opaqueText(part);
    case 'media':
      return part.source.type === 'text' ? documentText(part, part.source.text) : `(${part.kind})`;
    default:
      return undefined;
  }
}

function joined(parts: readonly AssistantPart[], type: 'refusal' | 'reasoning'): string {
  return parts.flatMap(part => (part.type === type ? [part.text] : [])).join('');
}

function encodeCall({ id, name, arguments: text, custom }: ToolCallPart): ChatToolCall {
  if (custom) return { id: callId(id), type: 'custom', custom: { name: toolName(name), input: text } };
  return {
    id: callId(id),
    type: 'function',
    function: { name: toolName(name), arguments: text.trim() === '' ? '{}' : text },
  };
}

/** A call's signature, where Google's own surface of this format looks for it. */
function encodeProof({ signature }: ToolCallPart): Pick<ChatToolCallDelta, 'extra_content'> {
  if (signature?.format !== 'generate-content') return {};
  return { extra_content: { google: { thought_signature: signature.value } } };
}
