import type { IncomingHttpHeaders } from 'node:http';
import type { ParsedRequest } from '../format.ts';
import { wantsSearch } from '../responder/answer.ts';
import {
  type Conversation,
  calledAs,
  functionTool,
  type Output,
  type Prompt,
  type ToolChoice,
  type ToolResult,
  type Tools,
} from '../responder/prompt.ts';
import {
  checkText,
  checkTurns,
  checkVersion,
  isResult,
  readTurns,
  readVersion,
  type Turn,
  usesOf,
} from './checks.ts';
import { readContext, textOfBlock } from './context.ts';
import { type CountRequest, countRequest, messagesRequest } from './request.ts';
import {
  checkThinking,
  checkThinkingBlocks,
  readDisplay,
  readEffort,
  type ThinkingDisplay,
} from './thinking.ts';
import { badRequest, validated } from './validation-error.ts';

export interface ParsedMessages extends ParsedRequest {
  thinking: ThinkingDisplay;
  searches: boolean;
}

/** @throws ApiError as the vendor would */
export function parse(body: unknown, headers: IncomingHttpHeaders): ParsedMessages {
  return read(readVersion(headers), validated(messagesRequest, body));
}

/** Parses a request to count tokens. @throws ApiError as the vendor would */
export function parseCount(body: unknown, headers: IncomingHttpHeaders): ParsedMessages {
  return read(readVersion(headers), validated(countRequest, body));
}

function read(version: string, request: CountRequest): ParsedMessages {
  checkVersion(version, request);
  checkText(request);
  checkThinking(request);
  const turns = readTurns(request.messages);
  checkTurns(turns);
  checkThinkingBlocks(turns, request);
  const prompt: Prompt = {
    model: request.model,
    ...readConversation(request, turns),
    ...readTools(request),
    ...readContext(request),
    output: readOutput(request),
    maxTokens: request.max_tokens ?? null,
    stop: request.stop_sequences ?? [],
    choices: 1,
    effort: readEffort(request),
  };
  return {
    prompt,
    stream: request.stream ?? false,
    thinking: readDisplay(request, prompt.question),
    searches: maySearch(request) && wantsSearch(prompt),
  };
}

function maySearch({ tools = [], tool_choice: choice }: CountRequest): boolean {
  return choice?.type !== 'none' && tools.some(({ type }) => type?.startsWith('web_search'));
}

function readOutput({ output_config: config, output_format: older }: CountRequest): Output {
  const format = config?.format ?? older;
  return format ? { kind: 'schema', schema: format.schema } : { kind: 'text' };
}

function readConversation({ system = [] }: CountRequest, turns: Turn[]): Omit<Conversation, 'context'> {
  const instructions = turns.filter(({ role }) => role === 'system').map(textOf);
  const question = turns.findLast(
    turn => turn.role === 'user' && turn.content.some(({ type }) => type === 'text'),
  );
  return {
    instructions: [...system.map(({ text }) => text), ...instructions].join('\n'),
    question: question ? textOf(question) : '',
    results: readResults(turns.filter(({ role }) => role !== 'system')),
    media: mediaOf(turns),
  };
}

function textOf({ content }: Turn): string {
  return content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The results in the last turn, each with the call that it answers. */
function readResults(turns: Turn[]): ToolResult[] {
  const [before, last] = turns.slice(-2);
  if (!before || !last) return [];
  const uses = usesOf(before);
  return last.content.filter(isResult).map(block => {
    const use = uses.find(({ id }) => id === block.tool_use_id);
    const call = calledAs(use?.name, use && JSON.stringify(use.input));
    return { call, text: `${block.is_error ? 'the error ' : ''}${textOfBlock(block)}` };
  });
}

function mediaOf(turns: Turn[]): Prompt['media'] {
  const blocks = turns.flatMap(({ content }) => content);
  const all = blocks.flatMap(block => [block, ...((isResult(block) && block.content) || [])]);
  const count = (type: string) => all.filter(block => block.type === type).length;
  return { images: count('image'), audio: 0, files: count('document') };
}

/** Reads the tools and the tool choice. Hosted tools are never called. @throws ApiError */
function readTools(request: CountRequest): Tools {
  const { tools = [], tool_choice: choice } = request;
  const names = tools.map(({ name }) => name).filter(name => name !== undefined);
  if (new Set(names).size < names.length) throw badRequest('tools: Tool names must be unique.');
  if (choice && tools.length === 0 && choice.type !== 'none')
    throw badRequest('tool_choice: tool_choice may only be specified while providing tools.');
  if (choice?.type === 'tool' && !names.includes(choice.name))
    throw badRequest(`Tool '${choice.name}' not found in provided tools`);
  return {
    tools: tools.flatMap(tool =>
      'input_schema' in tool
        ? [functionTool(String(tool.name), String(tool.description ?? ''), tool.input_schema)]
        : [],
    ),
    toolChoice: choiceOf(choice),
    parallel: !(choice && 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use),
  };
}

function choiceOf(choice: CountRequest['tool_choice']): ToolChoice {
  if (choice?.type === 'tool') return { name: choice.name };
  if (choice?.type === 'any') return 'required';
  return choice?.type ?? 'auto';
}
