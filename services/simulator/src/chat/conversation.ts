import type { Prompt, ToolResult } from '../mind/prompt.ts';
import type { ChatMessage, ChatRequest } from './request.ts';

type Conversation = Pick<Prompt, 'instructions' | 'question' | 'results' | 'context' | 'media'>;

/** Reads what was said so far. */
export function readConversation(messages: ChatMessage[], tools: ChatRequest['tools']): Conversation {
  const instructions = messages.filter(({ role }) => role === 'system' || role === 'developer').map(textOf);
  const question = messages.findLast(({ role }) => role === 'user');
  const lines = messages.map(message => `${message.role ?? 'user'}: ${textOf(message)}${callsOf(message)}`);
  return {
    instructions: instructions.join('\n'),
    question: question ? textOf(question) : '',
    results: readResults(messages),
    context: [...(tools?.length ? [JSON.stringify(tools)] : []), ...lines].join('\n'),
    media: {
      images: countParts(messages, 'image_url'),
      audio: countParts(messages, 'input_audio'),
      files: countParts(messages, 'file'),
    },
  };
}

function textOf({ content }: ChatMessage): string {
  if (!Array.isArray(content)) return content ?? '';
  return content
    .map(part => part.text ?? part.refusal)
    .filter(Boolean)
    .join('\n');
}

function callsOf({ tool_calls: calls }: ChatMessage): string {
  return calls?.length ? JSON.stringify(calls) : '';
}

/** The tool messages at the very end, each with the call that it answers. */
function readResults(messages: ChatMessage[]): ToolResult[] {
  const before = messages.findLastIndex(({ role }) => role !== 'tool' && role !== 'function');
  const calls = messages[before]?.tool_calls ?? [];
  return messages.slice(before + 1).map(message => {
    const call = calls.find(({ id }) => id === message.tool_call_id);
    const name = call?.function?.name ?? call?.custom?.name ?? message.name ?? 'the tool';
    const input = call?.function?.arguments ?? call?.custom?.input ?? '';
    return { call: input ? `${name}(${input.slice(0, 200)})` : name, text: textOf(message) };
  });
}

function countParts(messages: ChatMessage[], type: string): number {
  let count = 0;
  for (const { content } of messages)
    if (Array.isArray(content)) for (const part of content) if (part.type === type) count++;
  return count;
}
