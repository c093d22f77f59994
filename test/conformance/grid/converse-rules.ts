import { expect } from 'vitest';
import type { Ask, Content, Turn } from './ask.ts';
import type { Rule } from './rules.ts';
import type { ScenarioName } from './scenarios.ts';

/** Scenarios that need no run here, each with its reason. */
export const skipped: Partial<Record<ScenarioName, string>> = {
  refusal: 'Converse has no refusals: its content filters say that they intervened',
  'cached and reasoning tokens':
    'decode.test.ts of the dialect counts them, and Converse has no reasoning tokens',
};

/** The treatment of features that Converse lacks or has in another form, as docs/bedrock.md says. */
export const converseRules: Rule[] = [
  {
    of: ['image by link'],
    how: 'only objects of S3',
    refused: 'does not take images by URL',
  },
  {
    of: ['document'],
    how: 'its name without what Bedrock refuses',
    sent: ({ turns }) => ({ turns: turns.map(named) }),
  },
  { of: ['web search'], how: 'no such tool', refused: 'does not search the web' },
  {
    of: ['tool choice: none'],
    how: 'without the tools',
    sent: () => ({ tools: undefined, choice: undefined }),
  },
  {
    of: ['tool choice: some tools'],
    how: 'only those tools are offered',
    sent: ({ tools }) => ({ choice: 'required', tools: tools?.filter(({ name }) => name !== 'weather') }),
  },
  {
    of: ['one call at a time'],
    how: 'left out',
    sent: () => ({ serial: undefined }),
    got: { calls: [expect.anything(), expect.anything()] },
  },
  {
    of: ['JSON to a schema'],
    how: 'a tool that the model must call',
    sent: ({ output }) => ({
      output: undefined,
      choice: 'required',
      tools: [
        {
          name: 'final_answer',
          description: 'Gives the final answer. Call it exactly once, as the last thing you do.',
          parameters: output as Record<string, unknown>,
        },
      ],
    }),
  },
  {
    of: ['JSON of any kind'],
    how: 'as an instruction',
    sent: () => ({
      output: undefined,
      system: 'Answer with one valid JSON object and nothing else: no explanation, no code fence.',
    }),
  },
  {
    of: ['thinking', 'thinking by a number of tokens', 'thinking over turns, signed'],
    how: 'a medium effort, since the request has a limit of tokens',
    sent: () => ({ budget: undefined, effort: 'medium' }),
  },
  { of: ['several answers'], how: 'a call for each', sent: () => ({ answers: undefined }) },
  {
    of: ['seed', 'presence penalty', 'frequency penalty', 'verbosity', 'metadata', 'end user'],
    how: 'left out: the format has no such field',
    sent: () => ({
      ...{ seed: undefined, presencePenalty: undefined, frequencyPenalty: undefined },
      ...{ verbosity: undefined, metadata: undefined, user: undefined },
    }),
  },
  { of: ['logit bias'], how: 'the format has no such field', refused: 'logit_bias' },
  {
    of: ['log probabilities'],
    how: 'the format has no such field',
    refused: 'this model does not return log probabilities',
  },
  {
    of: ['service tier'],
    clients: ['messages'],
    how: 'left out: the vendor gives the best available tier anyway',
    sent: (): Partial<Ask> => ({ tier: undefined }),
  },
];

function named(turn: Turn): Turn {
  if (turn.role !== 'user') return turn;
  const rename = (part: Content): Content => ('name' in part ? { ...part, name: 'a' } : part);
  return { ...turn, content: turn.content.map(rename) };
}
