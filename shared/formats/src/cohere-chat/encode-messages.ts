import type { AssistantPart, Message, ToolResultPart, UserPart } from '@model-gateway/canonical';
import { documentText, encodeMedia } from '../upstream/encode-media.ts';
import { opaqueText } from '../upstream/request-body.ts';
import { callId, toolName } from '../upstream/tools.ts';
import { unsupported } from '../upstream/unsupported.ts';
import type { CohereContentParam, CohereMessageParam } from './types.ts';

export function encodeMessages(messages: readonly Message[]): CohereMessageParam[] {
  return messages.flatMap(encodeMessage);
}

function encodeMessage(message: Message): CohereMessageParam[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content.map(({ text }) => text).join('\n\n') }];
    case 'user':
      return [{ role: 'user', content: encodeContent(message.content) }];
    case 'assistant':
      return [encodeTurn(message.content)];
    case 'tool':
      return message.content.map(encodeResult);
  }
}

/** Returns a single text as a string. */
function encodeContent(parts: readonly UserPart[]): string | CohereContentParam[] {
  const encoded = parts.map(encodePart);
  const [only, ...more] = encoded;
  if (!only) return '';
  return only.type === 'text' && more.length === 0 ? only.text : encoded;
}

function encodePart(part: UserPart): CohereContentParam {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'opaque') return { type: 'text', text: opaqueText(part) };
  const encoded = encodeMedia(part);
  if (encoded.type === 'text') return { type: 'text', text: encoded.text };
  if (encoded.type === 'image_url') return { type: 'image_url', image_url: { url: encoded.image_url.url } };
  throw unsupported('messages', `this model's provider does not take ${part.kind} content`);
}

/** Encodes a turn. Reasoning before tool calls is their plan: the format has it in a field of its own. */
function encodeTurn(parts: readonly AssistantPart[]): CohereMessageParam {
  const texts = parts.flatMap(textsOf);
  const thoughts = parts.flatMap(part => (part.type === 'reasoning' && part.text !== '' ? [part.text] : []));
  const calls = parts.flatMap(part => (part.type === 'tool-call' ? [part] : []));
  const text = texts.join('');
  if (calls.length === 0) {
    const thinking = thoughts.map(thought => ({ type: 'thinking' as const, thinking: thought }));
    return {
      role: 'assistant',
      content: thinking.length > 0 ? [...thinking, ...(text ? [{ type: 'text' as const, text }] : [])] : text,
    };
  }
  return {
    role: 'assistant',
    content: text || undefined,
    tool_plan: thoughts.join('\n') || undefined,
    tool_calls: calls.map(({ id, name, arguments: json }) => ({
      id: callId(id),
      type: 'function',
      function: { name: toolName(name), arguments: json.trim() === '' ? '{}' : json },
    })),
  };
}

function textsOf(part: AssistantPart): string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [part.text];
    case 'opaque':
      return [opaqueText(part)];
    case 'media':
      return [part.source.type === 'text' ? documentText(part, part.source.text) : `(${part.kind})`];
    default:
      return [];
  }
}

/** Encodes all content of a result as text: the format's results hold no media. */
function encodeResult({ callId: id, content, error }: ToolResultPart): CohereMessageParam {
  const texts = content.map(part => {
    if (part.type === 'text') return part.text;
    if (part.type === 'opaque') return opaqueText(part);
    if (part.source.type === 'text') return documentText(part, part.source.text);
    throw unsupported('messages', `this model's provider does not take ${part.kind} content in tool results`);
  });
  const text = texts.join('\n');
  return { role: 'tool', tool_call_id: callId(id), content: error ? `Error: ${text}` : text };
}
