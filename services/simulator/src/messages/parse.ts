import type { IncomingHttpHeaders } from 'node:http';
import type { Asked } from '../format.ts';
import type { Output, Prompt } from '../mind/prompt.ts';
import { wantsSearch } from '../mind/source.ts';
import { complaint } from './complaint.ts';
import { readContext } from './context.ts';
import { readConversation } from './conversation.ts';
import { type CountRequest, countRequest, messagesRequest } from './request.ts';
import { checkText } from './text.ts';
import { checkThinking, checkThoughts, readDisplay, readEffort, type ThinkingDisplay } from './thinking.ts';
import { readTools } from './tools.ts';
import { checkTurns, readTurns } from './turns.ts';
import { checkVersion, readVersion } from './version.ts';

export interface MessagesAsked extends Asked {
  thinking: ThinkingDisplay;
  /** Whether it searches the web. */
  searches: boolean;
}

/** @throws Refusal as the vendor would */
export function parse(body: unknown, headers: IncomingHttpHeaders): MessagesAsked {
  const version = readVersion(headers);
  const { data: request, error } = messagesRequest.safeParse(body);
  if (!request) throw complaint(body, error);
  return read(version, request);
}

/** Reads a request to count tokens. @throws Refusal as the vendor would */
export function parseCount(body: unknown, headers: IncomingHttpHeaders): MessagesAsked {
  const version = readVersion(headers);
  const { data: request, error } = countRequest.safeParse(body);
  if (!request) throw complaint(body, error);
  return read(version, request);
}

function read(version: string, request: CountRequest): MessagesAsked {
  checkVersion(version, request);
  checkText(request);
  checkThinking(request);
  const turns = readTurns(request.messages);
  checkTurns(turns);
  checkThoughts(turns, request);
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
