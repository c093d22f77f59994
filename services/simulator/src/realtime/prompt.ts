import { efforts, type Prompt, type ToolResult } from '../responder/prompt.ts';
import type { Item, Part } from './conversation.ts';
import { audioTokens } from './input-audio.ts';
import type { SessionSettings } from './request.ts';

/** The prompt of a response. */
export interface RealtimePrompt {
  prompt: Prompt;
  /** Tokens of the audio in it, which `prompt` does not count. */
  audioTokens: number;
}

/** Makes a prompt of the items of a conversation. */
export function promptOf(model: string, items: readonly Item[], settings: SessionSettings): RealtimePrompt {
  const { instructions, tools, tool_choice: choice, max_output_tokens: limit, reasoning } = settings;
  const system = items.filter(({ role }) => role === 'system').map(textOf);
  const question = items.findLast(({ role }) => role === 'user');
  const parts = items.flatMap(({ content }) => content ?? []);
  const prompt: Prompt = {
    model,
    instructions: [instructions, ...system].join('\n'),
    question: question ? textOf(question) : '',
    results: resultsOf(items),
    tools: tools
      .filter(tool => tool.type === 'function')
      .map(({ name, description = '', parameters }) => ({
        kind: 'function',
        name: String(name),
        description: String(description),
        parameters,
      })),
    toolChoice:
      typeof choice === 'string' ? choice : choice.type === 'mcp' ? 'auto' : { name: String(choice.name) },
    parallel: settings.parallel_tool_calls,
    output: { kind: 'text' },
    maxTokens: limit === 'inf' ? null : limit,
    stop: [],
    choices: 1,
    effort: efforts.find(effort => effort === reasoning?.effort) ?? null,
    context: [tools.length > 0 ? JSON.stringify(tools) : '', instructions, ...items.map(lineOf)].join('\n'),
    media: { images: parts.filter(({ type }) => type === 'input_image').length, audio: 0, files: 0 },
    cachePoints: null,
  };
  const audio = parts.filter(({ type }) => type === 'input_audio');
  return { prompt, audioTokens: audio.reduce((sum, { audioMs = 0 }) => sum + audioTokens(audioMs), 0) };
}

function textOf({ content = [] }: Item): string {
  const texts = content.map(({ text, spoken, transcript }) => text ?? spoken ?? transcript);
  return texts.filter(Boolean).join('\n');
}

/** The line of the context for an item. Audio is counted by its length, not by its words. */
function lineOf(item: Item): string {
  if (item.type === 'function_call') return `call: ${item.name}(${item.arguments})`;
  if (item.type === 'function_call_output') return `result: ${item.output}`;
  const written = (part: Part) =>
    part.type === 'input_audio' ? `[${part.audioMs} ms]` : (part.text ?? part.transcript ?? '');
  return `${item.role}: ${(item.content ?? []).map(written).join('\n')}`;
}

/** The results at the end of the conversation, each with its call. */
function resultsOf(items: readonly Item[]): ToolResult[] {
  const before = items.findLastIndex(({ type }) => type !== 'function_call_output');
  return items.slice(before + 1).map(({ call_id: id, output = '' }) => {
    const call = items.find(item => item.type === 'function_call' && item.call_id === id);
    return { call: call ? `${call.name}(${call.arguments?.slice(0, 200)})` : 'the tool', text: output };
  });
}
