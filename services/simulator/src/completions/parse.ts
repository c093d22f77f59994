import type { Asked } from '../format.ts';
import { complaint, wrong } from '../openai-complaint.ts';
import { promptsOf } from './prompts.ts';
import { type CompletionsRequest, completionsRequest } from './request.ts';

export interface CompletionsAsked extends Asked {
  /** Each prompt as text. */
  prompts: [string, ...string[]];
  /** How many answers to each prompt are shown; the rest are written and thrown away. */
  shown: number;
  /** Whether a text begins with its prompt. */
  echo: boolean;
  /** How many alternatives to show for each token; null shows no likelihoods at all. */
  topLogprobs: number | null;
  /** Whether a stream ends with its usage. */
  includeUsage: boolean;
}

const usualTokens = 16;

/** @throws Refusal as the vendor would */
export function parse(body: unknown): CompletionsAsked {
  const { data: request, error } = completionsRequest.safeParse(body);
  if (!request) throw complaint(body, error);
  checkCounts(request);
  const prompts = promptsOf(request.prompt);
  const [question, ...others] = prompts;
  return {
    prompt: {
      model: request.model,
      instructions: '',
      question,
      others,
      results: [],
      tools: [],
      toolChoice: 'none',
      parallel: false,
      output: { kind: 'text' },
      maxTokens: request.max_tokens ?? usualTokens,
      stop: [request.stop ?? []].flat().filter(Boolean),
      choices: choicesOf(request),
      effort: null,
      context: prompts.join('') + (request.suffix ?? ''),
      media: { images: 0, audio: 0, files: 0 },
      cachePoints: null,
    },
    prompts,
    shown: request.n ?? 1,
    stream: request.stream ?? false,
    echo: request.echo ?? false,
    topLogprobs: request.logprobs ?? null,
    includeUsage: request.stream_options?.include_usage ?? false,
  };
}

function choicesOf({ n, best_of: best }: CompletionsRequest): number {
  return Math.max(n ?? 1, best ?? 1);
}

/** What does not go together. @throws Refusal */
function checkCounts({
  n,
  best_of: best,
  stream,
  stream_options: options,
  echo,
  suffix,
}: CompletionsRequest): void {
  if (best !== undefined && best !== null && best < (n ?? 1))
    throw wrong(
      `You requested that the server return more choices than it will generate (HINT: must have 'best_of' (currently ${best}) >= 'n' (currently ${n ?? 1})).`,
      'invalid_value',
      'best_of',
    );
  if (stream && (best ?? 1) > 1)
    throw wrong('You cannot use streaming with best_of greater than 1.', 'invalid_value', 'best_of');
  if (options && !stream)
    throw wrong(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      null,
      'stream_options',
    );
  if (echo && suffix) throw wrong("'echo' and 'suffix' cannot be used together.", 'invalid_value', 'suffix');
}
