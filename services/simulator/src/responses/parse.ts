import type { ParsedRequest } from '../format.ts';
import { badRequest, validated } from '../openai-error.ts';
import { wantsSearch } from '../responder/answer.ts';
import type { Effort, Output, Prompt } from '../responder/prompt.ts';
import { checkItems, checkStrict } from './checks.ts';
import { readConversation } from './conversation.ts';
import { readHistory, type Store } from './history.ts';
import type { Item } from './item.ts';
import { type CountRequest, countRequest, type ResponsesRequest, responsesRequest } from './request.ts';
import { type Origin, readTools } from './tools.ts';

export interface ParsedResponses extends ParsedRequest {
  request: ResponsesRequest;
  items: Item[];
  /** By the responder's name of the tool. */
  origins: Map<string, Origin>;
  summarizes: boolean;
  /** True if reasoning has `encrypted_content`. */
  encrypts: boolean;
  /** Alternatives for each token; null for no logprobs. */
  topLogprobs: number | null;
  searches: boolean;
}

/** @throws ApiError as the vendor would */
export function parse(body: unknown, store: Store): ParsedResponses {
  const request = validated(responsesRequest, body);
  if (request.background)
    throw badRequest("'background' is not supported with this model.", 'unsupported_parameter', 'background');
  const { include } = request;
  const { prompt, items, origins, maySearch } = read(request, store);
  return {
    prompt: { ...prompt, maxTokens: request.max_output_tokens ?? null },
    stream: request.stream ?? false,
    request,
    items,
    origins,
    summarizes: Boolean(request.reasoning?.summary ?? request.reasoning?.generate_summary),
    encrypts: include?.includes('reasoning.encrypted_content') ?? false,
    topLogprobs: include?.includes('message.output_text.logprobs') ? (request.top_logprobs ?? 0) : null,
    searches: maySearch && wantsSearch(prompt),
  };
}

/** Parses a request to count tokens. @throws ApiError as the vendor would */
export function parseCount(body: unknown, store: Store): ParsedRequest {
  const request = validated(countRequest, body);
  return { prompt: read(request, store).prompt, stream: false };
}

function read(request: CountRequest, store: Store) {
  const items = readHistory(request, store);
  checkItems(items);
  const { origins, maySearch, ...tools } = readTools(request, items);
  const prompt: Prompt = {
    model: request.model,
    ...readConversation(items, request),
    ...tools,
    output: { kind: 'text' },
    maxTokens: null,
    stop: [],
    choices: 1,
    cachePoints: null,
    effort: effortOf(request),
  };
  return { prompt: { ...prompt, output: readOutput(request, prompt) }, items, origins, maySearch };
}

/** By default there is no reasoning, unless a summary is requested. */
function effortOf({ reasoning }: CountRequest): Effort | null {
  if (reasoning?.effort) return reasoning.effort === 'none' ? null : reasoning.effort;
  return (reasoning?.summary ?? reasoning?.generate_summary) ? 'medium' : null;
}

function readOutput({ text }: CountRequest, { context }: Prompt): Output {
  const format = text?.format;
  if (format?.type === 'json_schema') {
    const owner = `response_format '${format.name}'`;
    if (format.strict) checkStrict(format.schema, owner, 'invalid_json_schema', 'text.format.schema');
    return { kind: 'schema', schema: format.schema };
  }
  if (format?.type !== 'json_object') return { kind: 'text' };
  if (/json/i.test(context)) return { kind: 'json' };
  throw badRequest("Input must contain the word 'json' to use format type 'json_object'.", null, 'input');
}
