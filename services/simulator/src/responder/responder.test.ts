import { expect, test } from 'vitest';
import { joined } from './answer.ts';
import { paceOf } from './pace.ts';
import { efforts, type Prompt } from './prompt.ts';
import { Responder } from './responder.ts';
import { firstStop, stretched, tokensOf, upTo } from './tokens.ts';

const prompt = (question: string, more: Partial<Prompt> = {}): Prompt => ({
  ...{ model: 'sim-fast', instructions: '', question, results: [], tools: [], toolChoice: 'auto' },
  ...{ parallel: true, output: { kind: 'text' }, maxTokens: null, stop: [], choices: 1, effort: null },
  ...{ context: `user: ${question}`, media: { images: 0, audio: 0, files: 0 }, cachePoints: null },
  ...more,
});

const texts = (parsed: Prompt, responder = new Responder()) =>
  responder.answer(parsed).replies.map(({ steps }) => joined(steps, 'text'));

test('the same prompt gets the same answer under another id', () => {
  const responder = new Responder();
  const [one, two] = [responder.answer(prompt('Hello')), responder.answer(prompt('Hello'))];
  expect(two.replies).toEqual(one.replies);
  expect(two.id).not.toBe(one.id);
  expect(new Responder().answer(prompt('Hello')).id).toBe(one.id);
});

test('up to 128 choices all differ', () => {
  expect(new Set(texts(prompt('Hello', { choices: 200 }))).size).toBe(128);
});

test('the token limit includes reasoning', () => {
  const { replies, usage } = new Responder().answer(prompt('Hello', { effort: 'high', maxTokens: 5 }));
  expect(replies[0]).toMatchObject({ finish: 'length' });
  expect(usage).toMatchObject({ output: 5, reasoning: 5 });
  expect(texts(prompt('Hello', { maxTokens: 0 }))).toEqual(['']);
});

test('more effort makes more reasoning tokens', () => {
  const counts = efforts.map(effort => new Responder().answer(prompt('Hello', { effort })).usage.reasoning);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(new Set(counts).size).toBe(efforts.length);
});

test('a prefix that was read before counts as cached, for the same model and above 1024 tokens', () => {
  const responder = new Responder();
  const long = prompt('Hello', { context: 'x'.repeat(4 * 1_300) });
  const cached = (parsed: Prompt) => responder.answer(parsed).usage.cachedInput;
  expect(cached(long)).toBe(0);
  expect(cached(long)).toBe(1_280);
  expect(cached({ ...long, context: `${long.context} and more` })).toBe(1_280);
  expect(cached({ ...long, context: `y${long.context}` })).toBe(0);
  expect(cached({ ...long, model: 'sim-t1' })).toBe(0);
  const short = { ...long, context: 'x'.repeat(4 * 1_000) };
  expect([cached(short), cached(short)]).toEqual([0, 0]);
});

test('JSON is complete even if the model name sets a number of tokens', () => {
  const [text] = texts(prompt('Hi', { model: 'sim-t3', output: { kind: 'json' } }));
  expect(JSON.parse(text as string)).toHaveProperty('answer');
});

test.each([
  ['gpt-anything', null, 20, 0],
  ['sim-1', null, 20, 0],
  ['sim', null, 20, 0],
  ['sim-fast', null, 0, 0],
  ['sim-slow', null, 200, 0],
  ['house/sim-fast', null, 0, 0],
  ['a/b/sim-t200', 200, 0, 0],
  ['sim-t200-i10ms-f50ms', 200, 10, 50],
  ['sim-f1.5s-i1s', null, 1_000, 1_500],
  ['sim-slow-t3', 3, 200, 0],
  ['sim-t0', 0, 0, 0],
  ['sim-i10', null, 20, 0],
  ['sim-t99999999999-f9999s', 1_000_000, 0, 600_000],
  ['simple-t200', null, 20, 0],
  ['fault-stall', null, 0, 0],
  ['some/fault-stall-t50-i10ms', 50, 10, 0],
  ['fault-slow', null, 0, 2_000],
  ['fault-slow-500ms', null, 0, 500],
])('the pace of %s', (model, tokens, intervalMs, firstMs) => {
  expect(paceOf(model)).toEqual({ tokens, intervalMs, firstMs });
});

test.each(['', 'Hi', ' two  spaces ', 'a\n\nb', 'Donaudampfschifffahrt', `数据 ${'🚀'.repeat(20)}`, '\n'])(
  'tokens of %j make up the text and do not split characters',
  text => {
    expect(tokensOf(text).join('')).toBe(text);
    for (const token of tokensOf(text)) expect(token.isWellFormed()).toBe(true);
  },
);

test('text ends before a stop string, even within a token', () => {
  const tokens = ['one', ' two', ' three'];
  expect(firstStop(tokens.join(''), ['o th'])).toEqual({ string: 'o th', at: 6 });
  expect(firstStop(tokens.join(''), ['three', ' two'])).toEqual({ string: ' two', at: 3 });
  expect(firstStop('one two', ['four'])).toBeNull();
  expect(upTo(tokens, 6)).toEqual(['one', ' tw']);
  expect(upTo(tokens, 3)).toEqual(['one']);
  expect(upTo(tokens, 0)).toEqual([]);
});

test('a text is stretched or cut to a number of tokens', () => {
  expect(stretched(['one', ' two'], 1)).toEqual(['one']);
  expect(stretched([], 0)).toEqual([]);
  const long = stretched(['one'], 200);
  expect(long).toHaveLength(200);
  for (const awkward of ['"', '\\', '\n', 'é', '数', '🚀']) expect(long.join('')).toContain(awkward);
});
