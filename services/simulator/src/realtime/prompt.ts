import { efforts, type Prompt, type ToolResult } from '../mind/prompt.ts';
import type { Item, Part } from './conversation.ts';
import { audioTokens } from './hearing.ts';
import type { SessionSettings } from './settings.ts';

/** What a response is asked to answer. */
export interface Asked {
  prompt: Prompt;
  /** Tokens of the audio that it is read from. */
  audioTokens: number;
}

/** Reads a conversation as the mind does. */
export function promptOf(model: string, items: readonly Item[], settings: SessionSettings): Asked {
  const { instructions, tools, tool_choice: choice, max_output_tokens: most, reasoning } = settings;
  const said = items.filter(({ role }) => role === 'system').map(textOf);
  const question = items.findLast(({ role }) => role === 'user');
  const parts = items.flatMap(({ content }) => content ?? []);
  const functions = tools.filter(tool => tool.type === 'function');
  const lines = [instructions, ...items.map(lineOf)];
  const prompt: Prompt = {
    model,
    instructions: [instructions, ...said].join('\n'),
    question: question ? textOf(question) : '',
    results: resultsOf(items),
    tools: functions.map(({ name, description = '', parameters }) => ({
      kind: 'function',
      name: String(name),
      description: String(description),
      parameters,
    })),
    toolChoice:
      typeof choice === 'string' ? choice : choice.type === 'mcp' ? 'auto' : { name: String(choice.name) },
    parallel: settings.parallel_tool_calls,
    output: { kind: 'text' },
    maxTokens: most === 'inf' ? null : most,
    stop: [],
    choices: 1,
    effort: efforts.find(effort => effort === reasoning?.effort) ?? null,
    context: [...(tools.length > 0 ? [JSON.stringify(tools)] : []), ...lines].join('\n'),
    media: { images: parts.filter(({ type }) => type === 'input_image').length, audio: 0, files: 0 },
    cachePoints: null,
  };
  const heard = parts.filter(({ type }) => type === 'input_audio');
  return { prompt, audioTokens: heard.reduce((sum, { audioMs = 0 }) => sum + audioTokens(audioMs), 0) };
}

function textOf({ content = [] }: Item): string {
  return content
    .map(({ text, heard, transcript }) => text ?? heard ?? transcript)
    .filter(Boolean)
    .join('\n');
}

/** What is read of an item; audio is counted by its length and not by its words. */
function lineOf(item: Item): string {
  if (item.type === 'function_call') return `call: ${item.name}(${item.arguments})`;
  if (item.type === 'function_call_output') return `result: ${item.output}`;
  const written = (part: Part) =>
    part.type === 'input_audio' ? `[${part.audioMs} ms]` : (part.text ?? part.transcript ?? '');
  return `${item.role}: ${(item.content ?? []).map(written).join('\n')}`;
}

/** The results at the very end, each with the call that it answers. */
function resultsOf(items: readonly Item[]): ToolResult[] {
  const before = items.findLastIndex(({ type }) => type !== 'function_call_output');
  return items.slice(before + 1).map(({ call_id: id, output = '' }) => {
    const call = items.find(item => item.type === 'function_call' && item.call_id === id);
    return { call: call ? `${call.name}(${call.arguments?.slice(0, 200)})` : 'the tool', text: output };
  });
}
