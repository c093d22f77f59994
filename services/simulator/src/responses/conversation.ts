import { hash } from 'node:crypto';
import { type Conversation, calledAs, type Prompt, type ToolResult } from '../responder/prompt.ts';
import { decrypted } from './history.ts';
import type { InputPart, Item, OutputPart, ResultPart } from './item.ts';
import type { CountRequest } from './request.ts';

type Part = InputPart | OutputPart | ResultPart;

export function readConversation(items: Item[], { instructions, tools }: CountRequest): Conversation {
  const messages = items.filter(item => item.type === 'message');
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const question = messages.findLast(({ role }) => role === 'user');
  return {
    instructions: [instructions ?? '', ...system.map(one => textOf(one.content))].filter(Boolean).join('\n'),
    question: question ? textOf(question.content) : '',
    results: readResults(items),
    context: [
      ...(tools?.length ? [JSON.stringify(tools)] : []),
      ...(instructions ? [`system: ${instructions}`] : []),
      ...items.map(lineOf),
    ].join('\n'),
    media: mediaOf(items),
  };
}

function textOf(content: string | readonly Part[]): string {
  if (typeof content === 'string') return content;
  return content
    .flatMap(part => ('text' in part ? part.text : 'refusal' in part ? part.refusal : []))
    .join('\n');
}

/** The line of the context for an item. */
function lineOf(item: Item): string {
  switch (item.type) {
    case 'message':
      return `${item.role}: ${textOf(item.content)}`;
    case 'function_call':
      return `${item.name}(${item.arguments})`;
    case 'custom_tool_call':
      return `${item.name}(${item.input})`;
    case 'function_call_output':
    case 'custom_tool_call_output':
      return textOf(item.output);
    case 'reasoning':
      return (
        decrypted(item.encrypted_content ?? '')?.reasoning ?? item.summary.map(({ text }) => text).join('\n')
      );
    case 'additional_tools':
      return JSON.stringify(item.tools);
    default:
      return `[${item.type} ${hash('sha1', JSON.stringify(item)).slice(0, 8)}]`;
  }
}

/** The outputs at the end, each with its call. */
function readResults(items: Item[]): ToolResult[] {
  const isOutput = (item: Item) =>
    item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
  const before = items.findLastIndex(item => !isOutput(item));
  const calls = items.filter(item => item.type === 'function_call' || item.type === 'custom_tool_call');
  return items
    .slice(before + 1)
    .filter(isOutput)
    .map(output => {
      const call = calls.find(({ call_id }) => call_id === output.call_id);
      const input = call?.type === 'function_call' ? call.arguments : call?.input;
      return { call: calledAs(call?.name, input), text: textOf(output.output) };
    });
}

function mediaOf(items: Item[]): Prompt['media'] {
  const types = items.flatMap(partsOf).map(({ type }) => type);
  const count = (type: Part['type']) => types.filter(one => one === type).length;
  return { images: count('input_image'), audio: count('input_audio'), files: count('input_file') };
}

function partsOf(item: Item): Part[] {
  if (item.type === 'message') return typeof item.content === 'string' ? [] : item.content;
  if (item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output') return [];
  return typeof item.output === 'string' ? [] : item.output;
}
