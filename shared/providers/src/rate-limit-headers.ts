/** Headers by which a vendor says what is left of a limit and when it is full again. */
interface RateLimitHeaders {
  reset: string;
  remaining: string;
  /** The vendor's document. */
  source: string;
}

const openai = 'https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers';
const anthropic = 'https://docs.claude.com/en/api/rate-limits#response-headers';
const cerebras = 'https://inference-docs.cerebras.ai/support/rate-limits';

/** The headers of every vendor that is known to send some. Groq, Azure and Fireworks have those of OpenAI. */
export const rateLimitHeaders: readonly RateLimitHeaders[] = [
  ...named('x-ratelimit-*-requests', openai),
  ...named('x-ratelimit-*-tokens', openai),
  ...named('x-ratelimit-*-requests-minute', cerebras),
  ...named('x-ratelimit-*-requests-day', cerebras),
  ...named('x-ratelimit-*-tokens-minute', cerebras),
  ...named('x-ratelimit-*', 'https://openrouter.ai/docs/api-reference/limits'),
  ...named('ratelimitbysize-*', 'https://docs.mistral.ai/deployment/ai-studio/tier'),
  ...named('ratelimit-*', 'https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-07'),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map(limit => ({
    reset: `anthropic-ratelimit-${limit}-reset`,
    remaining: `anthropic-ratelimit-${limit}-remaining`,
    source: anthropic,
  })),
];

function named(pattern: string, source: string): RateLimitHeaders[] {
  const name = (word: string) => pattern.replace('*', word);
  return [{ reset: name('reset'), remaining: name('remaining'), source }];
}
