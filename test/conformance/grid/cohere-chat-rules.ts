import { expect } from 'vitest';
import { errorAsText, onlyAllowed, type Rule } from './rules.ts';
import type { ScenarioName } from './scenarios.ts';

/** Scenarios that need no run here, each with its reason. */
export const skipped: Partial<Record<ScenarioName, string>> = {
  refusal: "Cohere's chat has no refusals: they are texts",
  'blocked prompt': "Cohere's chat has no finish reason of a blocked prompt",
  'cached and reasoning tokens':
    "dialect.test.ts counts cached tokens, and Cohere's chat reports no reasoning tokens",
};

/** The treatment of features that Cohere's chat lacks or has in another form, as docs/translation.md says. */
export const cohereChatRules: Rule[] = [
  { of: ['document'], how: 'no such content', refused: 'does not take document content' },
  { of: ['a result that is an error'], how: 'the text begins with `Error: `', sent: errorAsText },
  {
    of: ['a result with an image'],
    how: 'no media in results',
    refused: 'does not take image content in tool results',
  },
  { of: ['web search'], how: 'no such tool', refused: 'does not run tools of other vendors' },
  {
    of: ['tool choice: auto', 'one call at a time'],
    how: 'left out: it is the default',
    sent: () => ({ choice: undefined }),
  },
  {
    of: ['tool choice: one tool'],
    how: 'that tool alone is offered',
    sent: ({ tools }) => ({ choice: 'required', tools: tools?.filter(({ name }) => name === 'clock') }),
  },
  { of: ['tool choice: some tools'], how: 'only those tools are offered', sent: onlyAllowed },
  {
    of: ['one call at a time'],
    how: 'left out: the format has no such field',
    sent: () => ({ serial: undefined }),
    got: { calls: [expect.anything(), expect.anything()] },
  },
  {
    of: ['thinking', 'thinking over turns, signed'],
    how: 'as a number of tokens',
    sent: () => ({ effort: undefined, budget: 16_384 }),
  },
  { of: ['several answers'], how: 'a call for each', sent: () => ({ answers: undefined }) },
  {
    of: ['verbosity', 'service tier', 'end user', 'metadata'],
    how: 'left out: the format has no such field',
    sent: () => ({ verbosity: undefined, tier: undefined, user: undefined, metadata: undefined }),
  },
  {
    of: ['error within the answer'],
    how: 'the end of a stream says that it failed, without a reason',
    error: 'upstream',
  },
  { of: ['logit bias'], how: 'the format has no such field', refused: 'logit_bias' },
  {
    of: ['log probabilities'],
    how: 'formats report different data about a token',
    refused: 'log probabilities are not available',
  },
];
