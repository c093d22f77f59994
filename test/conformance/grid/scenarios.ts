import type { ErrorKind } from '@model-gateway/canonical';
import { expect } from 'vitest';
import type { Ask, Content, Tool, Turn } from './ask.ts';
import type { Got } from './got.ts';

/** A request of a client and the behaviour of an upstream, independent of formats. */
export interface Scenario {
  ask: Ask;
  /** The model's behaviour, as in its name at the simulator; by default it answers at once. */
  behaviour?: string;
  /** True if the upstream is the counting one. */
  counts?: true;
  /** The client's answer. */
  got: Partial<Got>;
  /** The error that the client gets in place of an answer; if `begun`, in a stream after some text. */
  error?: ErrorKind;
  begun?: true;
  /**
   * The results of the called tools: the client then sends a second request with the answer in its history.
   */
  results?: string[];
}

const user = (...content: (string | Content)[]): Turn => ({
  role: 'user',
  content: content.map(part => (typeof part === 'string' ? { text: part } : part)),
});

const weather: Tool = {
  name: 'weather',
  description: 'The weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const clock: Tool = {
  name: 'clock',
  description: 'What time it is',
  parameters: { type: 'object', properties: { zone: { type: 'string' } } },
};
const alarm: Tool = {
  name: 'alarm',
  description: 'Rings a bell',
  parameters: { type: 'object', properties: { hour: { type: 'integer' } } },
};
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, stars: { type: 'integer', minimum: 1, maximum: 5 } },
  required: ['name', 'stars'],
  additionalProperties: false,
};

const sea = { turns: [user('Write about the sea.')], maxTokens: 1000 };
const sailing = { turns: [user('What is the weather in Oslo?')], tools: [weather], maxTokens: 1000 };
const travelling = { ...sailing, turns: [user('What is the weather in Oslo and Rome?')] };
const oslo = { name: 'weather', args: { city: 'Oslo' } };
const rome = { name: 'weather', args: { city: 'Rome' } };
const called = (...calls: object[]): Partial<Got> => ({
  calls: calls.map(call => expect.objectContaining({ ...call, id: expect.stringMatching(/./) })),
  finish: 'calls',
});

const text: Partial<Got> = {
  text: expect.stringMatching('Write about the sea.'),
  calls: [],
  finish: 'stop',
  usage: { input: expect.any(Number), cached: 0, output: expect.any(Number), reasoning: 0 },
  answers: 1,
};
const fails: Partial<Got> = { finish: null };

/** A sampling field that only the upstream interprets. */
function parameter(fields: Partial<Ask>): Scenario {
  return { ask: { ...sea, ...fields }, got: { text: expect.stringMatching('sea'), finish: 'stop' } };
}

function choosing(fields: Partial<Ask>, got: Partial<Got>): Scenario {
  return { ask: { ...travelling, ...fields }, got };
}

/** The scenarios by their name in the table. */
export const scenarios = {
  text: { ask: sea, got: text },
  'system text': { ask: { ...sea, system: 'Be kind.' }, got: text },
  'several turns': {
    ask: {
      turns: [user('Hello'), { role: 'assistant', text: 'Good day.' }, user('Write about the sea.')],
      maxTokens: 1000,
    },
    got: text,
  },
  image: {
    ask: { ...sea, turns: [user('What is it?', { image: 'iVBORw0KGgo=', mediaType: 'image/png' })] },
    got: { text: expect.stringMatching('1 attachment') },
  },
  'image by link': {
    ask: { ...sea, turns: [user('What is it?', { imageUrl: 'https://i.example/a.png' })] },
    got: { text: expect.stringMatching('1 attachment') },
  },
  document: {
    ask: {
      ...sea,
      turns: [user('Sum it up', { document: 'JVBERi0=', mediaType: 'application/pdf', name: 'a.pdf' })],
    },
    got: { text: expect.stringMatching('1 attachment') },
  },
  'a tool': { ask: sailing, got: called(oslo) },
  'parallel calls': { ask: travelling, got: called(oslo, rome), results: ['4 C', '18 C'] },
  'several results': {
    ask: {
      ...travelling,
      turns: [
        ...travelling.turns,
        { role: 'assistant', text: 'I look.', calls: [oslo, rome] },
        {
          role: 'tool',
          results: [
            { call: 0, text: '4 C' },
            { call: 1, text: '18 C' },
          ],
        },
      ],
    },
    got: {
      text: expect.stringMatching(/"Oslo".* gave 4 C.*"Rome".* gave 18 C/),
      calls: [],
      finish: 'stop',
    },
  },
  'a result that is an error': {
    ask: {
      ...sailing,
      turns: [
        ...sailing.turns,
        { role: 'assistant', calls: [oslo] },
        { role: 'tool', results: [{ call: 0, text: 'no station', failed: true }] },
      ],
    },
    got: { text: expect.stringMatching('no station'), finish: 'stop' },
  },
  'a result with an image': {
    ask: {
      ...sailing,
      turns: [
        ...sailing.turns,
        { role: 'assistant', calls: [oslo] },
        {
          role: 'tool',
          results: [{ call: 0, text: 'A map.', image: { image: 'iVBORw0KGgo=', mediaType: 'image/png' } }],
        },
      ],
    },
    got: { text: expect.stringMatching('A map.'), finish: 'stop' },
  },
  'web search': {
    ask: { ...sea, turns: [user('Search the web for the sea.')], search: true },
    got: {
      text: expect.stringMatching(/^You said/),
      finish: 'stop',
      cited: ['https://gateway.example/docs'],
    },
  },
  'tool choice: auto': choosing({ choice: 'auto' }, called(oslo, rome)),
  'tool choice: required': choosing(
    { choice: 'required', turns: [user('Good morning')] },
    { calls: [expect.objectContaining({ name: 'weather' })], finish: 'calls' },
  ),
  'tool choice: none': choosing({ choice: 'none' }, { calls: [], finish: 'stop' }),
  'tool choice: one tool': choosing(
    { choice: { tool: 'clock' }, tools: [weather, clock], turns: [user('Good morning')] },
    { calls: [expect.objectContaining({ name: 'clock' })], finish: 'calls' },
  ),
  'tool choice: some tools': choosing(
    {
      choice: { allowed: ['clock', 'alarm'] },
      tools: [weather, clock, alarm],
      turns: [user('Good morning')],
    },
    { calls: [expect.objectContaining({ name: expect.stringMatching('clock|alarm') })], finish: 'calls' },
  ),
  'one call at a time': choosing(
    { choice: 'auto', serial: true },
    { calls: [expect.anything()], finish: 'calls' },
  ),
  'JSON to a schema': {
    ask: { ...sea, turns: [user('Rate it: 4')], output: schema },
    got: { text: expect.stringMatching(/^\{"name":.*,"stars":[1-5]\}$/), calls: [], finish: 'stop' },
  },
  'JSON of any kind': {
    ask: { ...sea, turns: [user('Rate it in JSON')], output: 'json' },
    got: { text: expect.stringMatching('Rate it in JSON'), finish: 'stop' },
  },
  thinking: {
    ask: { ...sea, effort: 'high' },
    got: { reasoning: expect.stringMatching(/\w{3}/), text: expect.stringMatching('sea'), finish: 'stop' },
  },
  'thinking by a number of tokens': {
    ask: { ...sea, maxTokens: 4000, budget: 2048 },
    got: { reasoning: expect.stringMatching(/\w{3}/), text: expect.stringMatching('sea'), finish: 'stop' },
  },
  'no thinking': {
    ask: { ...sea, effort: 'none' },
    got: { reasoning: '', text: expect.stringMatching('sea'), finish: 'stop' },
  },
  'thinking over turns, signed': {
    ask: { ...travelling, effort: 'high' },
    got: { reasoning: expect.stringMatching(/\w{3}/), ...called(oslo, rome) },
    results: ['4 C', '18 C'],
  },
  'stop sequence': {
    ask: { ...sea, turns: [user('What is the gateway?')], stop: ['never', 'every model'] },
    got: { text: 'Model Gateway puts ', finish: 'stop' },
  },
  'token limit': {
    ask: { ...sea, turns: [user('What is the gateway?')], maxTokens: 16 },
    got: { text: expect.stringMatching(/^Model Gateway puts/), finish: 'length' },
  },
  refusal: {
    ask: { ...sea, turns: [user('Please refuse this')] },
    got: { text: '', refusal: expect.stringMatching('not help'), finish: 'refusal' },
  },
  'blocked prompt': {
    ask: { ...sea, turns: [user('This is forbidden')] },
    got: { text: '', calls: [], finish: 'refusal' },
  },
  'characters cut between chunks': {
    // Each byte is a write. A brief answer soon comes to the words that the simulator adds.
    ask: { ...sea, turns: [user('Write about the sea. Be brief.')] },
    behaviour: 'fault-bytes-t20',
    got: { text: expect.stringMatching(/café[^\uFFFD]*数据[^\uFFFD]*🚀[^\uFFFD]*$/), finish: 'stop' },
  },
  'empty answer': { ask: sea, behaviour: 'sim-t0', got: { text: '', calls: [], finish: 'stop' } },
  'cached and reasoning tokens': {
    ask: sea,
    counts: true,
    got: { text: 'Hi', usage: { input: 950, cached: 800, output: 70, reasoning: 40 } },
  },
  'several answers': {
    ask: { ...sea, answers: 2 },
    got: { answers: 2, text: expect.stringMatching('sea'), finish: 'stop' },
  },
  temperature: parameter({ temperature: 0.5 }),
  'top p': parameter({ topP: 0.5 }),
  'top k': parameter({ topK: 7 }),
  seed: parameter({ seed: 7 }),
  'presence penalty': parameter({ presencePenalty: 0.5 }),
  'frequency penalty': parameter({ frequencyPenalty: 0.5 }),
  'logit bias': parameter({ logitBias: { '50256': -100 } }),
  'log probabilities': parameter({ logprobs: 2 }),
  verbosity: parameter({ verbosity: 'low' }),
  'service tier': parameter({ tier: 'priority' }),
  'end user': parameter({ user: 'u-1' }),
  metadata: parameter({ metadata: { team: 'red' } }),
  'error before the answer': { ask: sea, behaviour: 'fault-503', got: fails, error: 'overloaded' },
  'error within the answer': {
    ask: sea,
    behaviour: 'fault-error',
    got: fails,
    error: 'overloaded',
    begun: true,
  },
  'answer that is cut off': {
    ask: sea,
    behaviour: 'fault-truncate',
    got: fails,
    error: 'upstream',
    begun: true,
  },
} satisfies Record<string, Scenario>;
export type ScenarioName = keyof typeof scenarios;
