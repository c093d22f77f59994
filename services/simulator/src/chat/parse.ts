import type { Asked } from '../format.ts';
import { efforts, type Output } from '../mind/prompt.ts';
import { wantsSearch } from '../mind/source.ts';
import { Refusal } from '../refusal.ts';
import { readConversation } from './conversation.ts';
import { type ChatRequest, chatRequest } from './request.ts';
import { readTools } from './tools.ts';

export interface ChatAsked extends Asked {
  model: string;
  /** Whether a stream ends with its usage. */
  includeUsage: boolean;
  /** How many alternatives to show for each token; null shows no likelihoods at all. */
  topLogprobs: number | null;
  serviceTier: string;
  /** Whether it searches the web. */
  searches: boolean;
}

/** Reads a chat request. @throws Refusal where the model or the messages are missing */
export function parse(body: unknown): ChatAsked {
  const { data: request } = chatRequest.safeParse(body);
  if (!request) throw new Refusal(400, 'The request body must be a JSON object.');
  if (!request.model) throw missing('model');
  if (!request.messages?.length) throw missing('messages');
  const { model } = request;
  const conversation = readConversation(request.messages, request.tools);
  return {
    prompt: {
      model,
      ...conversation,
      ...readTools(request),
      output: readOutput(request),
      maxTokens: limitOf(request.max_completion_tokens ?? request.max_tokens),
      stop: [request.stop ?? []].flat().filter(Boolean),
      choices: request.n ?? 1,
      cachePoints: null,
      effort: efforts.find(effort => effort === request.reasoning_effort) ?? null,
    },
    model,
    stream: request.stream ?? false,
    includeUsage: request.stream_options?.include_usage ?? false,
    topLogprobs: request.logprobs ? Math.min(Math.max(request.top_logprobs ?? 0, 0), 20) : null,
    serviceTier: shownTiers.get(request.service_tier ?? '') ?? 'default',
    searches: Boolean(request.web_search_options) && wantsSearch(conversation),
  };
}

/** The tier that an answer shows for the one asked for. */
const shownTiers = new Map([
  ['flex', 'flex'],
  ['scale', 'scale'],
  ['priority', 'priority'],
  ['fast', 'priority'],
]);

function readOutput({ response_format: format }: ChatRequest): Output {
  if (format?.type === 'json_object') return { kind: 'json' };
  if (format?.type === 'json_schema') return { kind: 'schema', schema: format.json_schema?.schema };
  return { kind: 'text' };
}

function missing(param: string): Refusal {
  return new Refusal(400, `Missing required parameter: '${param}'.`, 'missing_required_parameter', param);
}

/** The simulator takes -1 for no limit, like many servers that are compatible with the vendor's. */
function limitOf(tokens: number | null | undefined): number | null {
  return tokens === undefined || tokens === -1 ? null : tokens;
}
