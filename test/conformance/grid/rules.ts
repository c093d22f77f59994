import type { ErrorKind } from '@model-gateway/canonical';
import { expect } from 'vitest';
import { type Format, formats } from '../../stack/formats.ts';
import { type Ask, type Content, callId, type Turn } from './ask.ts';
import type { Got } from './got.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';

/** The treatment of a feature that a client requests and that an upstream's format lacks or has in another form. */
export interface Rule {
  of: ScenarioName[];
  /** If absent, all formats outside the other list. A client of the upstream's own format is never included. */
  clients?: readonly Format[];
  upstreams?: readonly Format[];
  /** The text in the table of docs/translation.md. */
  how: string;
  /** True if the rule holds only for servers that are compatible with OpenAI: OpenAI's own is sent the request unchanged. */
  compatible?: true;
  /** The request is a 400 that names this field of the client's. */
  refused?: string | Partial<Record<Format, string>>;
  /** The changes in the request that the upstream receives. */
  sent?: (ask: Ask) => Partial<Ask>;
  /** The changes in the response that the client receives. */
  got?: Partial<Got>;
  /** The error that the client gets, if the upstream cannot tell the scenario's. */
  error?: ErrorKind;
}

const but = (...without: Format[]) => formats.filter(format => !without.includes(format));

/** Scenarios that a format cannot express, so that its clients cannot request them. */
export const unsaid: Record<Format, ScenarioName[]> = {
  chat: ['a result that is an error', 'a result with an image', 'thinking by a number of tokens'],
  messages: [
    'tool choice: some tools',
    'JSON of any kind',
    'several answers',
    'seed',
    'presence penalty',
    'frequency penalty',
    'logit bias',
    'log probabilities',
    'verbosity',
    'metadata',
  ],
  'generate-content': ['one call at a time', 'logit bias', 'verbosity', 'end user', 'metadata'],
  responses: [
    'a result that is an error',
    'thinking by a number of tokens',
    'stop sequence',
    'several answers',
    'top k',
    'seed',
    'presence penalty',
    'frequency penalty',
    'logit bias',
  ],
};

/** The field of each format that requests log probabilities. */
const logprobs = {
  chat: 'logprobs',
  'generate-content': 'generationConfig.responseLogprobs',
  responses: 'top_logprobs',
};

export const rules: Rule[] = [
  {
    of: ['tool choice: some tools'],
    upstreams: ['messages'],
    how: 'only those tools are offered',
    sent: onlyAllowed,
  },
  {
    of: ['tool choice: some tools'],
    upstreams: ['chat', 'responses'],
    how: 'to OpenAI itself; other servers are offered only those tools',
    compatible: true,
    sent: onlyAllowed,
  },
  {
    of: ['JSON of any kind'],
    upstreams: ['messages'],
    how: 'as an instruction',
    sent: () => ({
      output: undefined,
      system: 'Answer with one valid JSON object and nothing else: no explanation, no code fence.',
    }),
  },
  {
    of: ['several answers'],
    upstreams: ['messages', 'responses'],
    how: 'a call for each',
    sent: () => ({ answers: undefined }),
  },
  {
    of: ['top k'],
    upstreams: ['chat', 'responses'],
    how: 'left out: the format has no such field',
    sent: () => ({ topK: undefined }),
  },
  {
    of: ['seed', 'presence penalty', 'frequency penalty'],
    upstreams: ['messages', 'responses'],
    how: 'left out: the format has no such field',
    sent: () => ({ seed: undefined, presencePenalty: undefined, frequencyPenalty: undefined }),
  },
  {
    of: ['logit bias'],
    upstreams: but('chat'),
    how: 'the format has no such field',
    refused: 'logit_bias',
  },
  {
    of: ['log probabilities'],
    upstreams: ['messages'],
    how: 'the format has no such field',
    refused: logprobs,
  },
  {
    of: ['log probabilities'],
    upstreams: but('messages'),
    how: 'formats report different data about a token',
    refused: logprobs,
  },
  {
    of: ['verbosity'],
    upstreams: ['messages', 'generate-content'],
    how: 'left out: the format has no such field',
    sent: () => ({ verbosity: undefined }),
  },
  {
    of: ['verbosity', 'service tier'],
    clients: but('messages'),
    upstreams: ['chat', 'responses'],
    how: 'to OpenAI itself; other servers may not know it',
    compatible: true,
    sent: () => ({ verbosity: undefined, tier: undefined }),
  },
  {
    of: ['metadata'],
    upstreams: ['chat'],
    how: 'left out: only stored chats have it',
    sent: () => ({ metadata: undefined }),
  },
  {
    of: ['metadata'],
    upstreams: ['messages', 'generate-content'],
    how: 'left out: the format has no such field',
    sent: () => ({ metadata: undefined }),
  },
  {
    of: ['end user'],
    upstreams: ['generate-content'],
    how: 'left out: the format has no such field',
    sent: () => ({ user: undefined }),
  },
  {
    of: ['a result that is an error'],
    upstreams: ['chat', 'responses'],
    how: 'the text begins with `Error: `',
    sent: errorAsText,
  },
  {
    of: ['service tier'],
    clients: ['messages'],
    how: 'left out: the vendor gives the best available tier anyway',
    sent: () => ({ tier: undefined }),
  },
  {
    of: ['document'],
    upstreams: ['generate-content'],
    how: 'without its name',
    sent: ({ turns }) => ({ turns: turns.map(nameless) }),
  },
  {
    of: ['one call at a time'],
    upstreams: ['generate-content'],
    how: 'left out: the format has no such field; calls that were made are sent',
    sent: () => ({ serial: undefined }),
    got: { calls: [expect.anything(), expect.anything()] },
  },
  {
    of: ['no thinking'],
    upstreams: ['generate-content'],
    how: 'as the least level, and no thoughts in the answer: models that have levels always think',
    sent: () => ({ effort: 'minimal' }),
  },
  {
    of: ['thinking over turns, signed'],
    upstreams: ['generate-content'],
    how: 'the signature goes back without the text',
    sent: ({ turns }) => ({ turns: turns.map(thoughtless) }),
  },
  {
    of: ['stop sequence'],
    upstreams: ['responses'],
    how: 'the gateway cuts the answer there',
    sent: () => ({ stop: undefined }),
  },
  {
    of: ['thinking by a number of tokens'],
    how: 'as an effort, by model',
    sent: () => ({ budget: undefined, effort: 'medium' }),
  },
  {
    of: ['a result with an image'],
    upstreams: ['chat'],
    how: 'in a user message after the results',
    sent: ({ turns }) => ({ turns: turns.flatMap(shownAfter) }),
    got: { text: expect.stringMatching('1 attachment') },
  },
  {
    of: ['refusal'],
    upstreams: ['messages'],
    how: 'its text comes as normal text as well',
    got: { text: expect.stringMatching('not help') },
  },
];

export function onlyAllowed({ tools }: Ask): Partial<Ask> {
  return { choice: 'required', tools: tools?.filter(({ name }) => name !== 'weather') };
}

function nameless(turn: Turn): Turn {
  if (turn.role !== 'user') return turn;
  const without = (part: Content): Content => ('name' in part ? { ...part, name: undefined } : part);
  return { ...turn, content: turn.content.map(without) };
}

function thoughtless(turn: Turn): Turn {
  if (turn.role !== 'assistant') return turn;
  const { reasoning: _, ...rest } = turn;
  return rest;
}

function shownAfter(turn: Turn): Turn[] {
  if (turn.role !== 'tool') return [turn];
  const results = turn.results.map(({ image: _, text, call }) => ({
    call,
    text: `${text}(image: see the user message that follows)`,
  }));
  const shown = turn.results.flatMap(({ image, call }) =>
    image ? [{ text: `Shown by tool call ${callId(call)}:` }, image] : [],
  );
  return [
    { ...turn, results },
    { role: 'user', content: shown },
  ];
}

export function errorAsText({ turns }: Ask): Partial<Ask> {
  return { turns: turns.map(told) };
}

function told(turn: Turn): Turn {
  if (turn.role !== 'tool') return turn;
  return { ...turn, results: turn.results.map(({ call, text }) => ({ call, text: `Error: ${text}` })) };
}

/** Returns the scenarios that a client of a format can request. */
export function representable(client: Format): ScenarioName[] {
  return (Object.keys(scenarios) as ScenarioName[]).filter(name => !unsaid[client].includes(name));
}

/** The field of the client's that a refusal names. */
export function refusedField({ refused }: Rule, client: Format): string | undefined {
  return typeof refused === 'object' ? refused[client] : refused;
}

/** Returns the rules that change a scenario on its way from a client's format to another. */
export function rulesOf(
  name: ScenarioName,
  { client, upstream }: { client: Format; upstream: Format },
): Rule[] {
  if (client === upstream) return [];
  return rules.filter(
    ({ of, clients = formats, upstreams = formats }) =>
      of.includes(name) && clients.includes(client) && upstreams.includes(upstream),
  );
}
