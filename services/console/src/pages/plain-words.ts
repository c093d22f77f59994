import type { Problem, ProblemFacts } from './problem.ts';

const byCode: Record<string, string> = {
  unreachable: 'The gateway cannot be reached.',
  cut_off: 'The answer was cut off. What is shown is not all of it.',
  not_a_stream: 'The gateway sent something that is no answer.',
  invalid_api_key: 'The token is not valid.',
  model_not_found: 'There is no such model.',
  insufficient_quota: 'The quota is used up.',
  context_length_exceeded: 'The conversation is too long for this model.',
  upstream_error: 'The provider of this model failed.',
  server_is_overloaded: 'Too much is going on at the moment.',
  timeout: 'The model took too long.',
};

const byStatus: Record<number, string> = {
  401: 'The token is not valid.',
  403: 'The token may not do this.',
  404: 'There is no such model.',
  413: 'The conversation is too large.',
  429: 'Too many requests at the moment.',
  503: 'Too much is going on at the moment.',
  504: 'The model took too long.',
};

/** What went wrong, in a sentence for somebody who knows nothing of codes. */
export function inPlainWords({ facts }: Problem): string {
  const sentence = byCode[facts.code ?? ''] ?? byStatus[facts.status ?? 0] ?? general(facts);
  return facts.retryAfter ? `${sentence} Try again in ${facts.retryAfter} s.` : sentence;
}

function general({ status = 0 }: ProblemFacts): string {
  return status >= 400 && status < 500 ? 'The request was refused.' : 'Something went wrong.';
}
