import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { post } from '../testing/post.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const answer = (request: object) =>
  post(
    `${simulator.url}/v1/messages`,
    { model: 'sim-fast', max_tokens: 2_000, ...request },
    { 'anthropic-version': '2023-06-01' },
  );
const turns = (...contents: unknown[]) =>
  contents.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));

test('redacted thinking is accepted with unchanged data, and other data is rejected', async () => {
  const thinking = { type: 'adaptive' };
  const { content } = (await answer({ messages: turns('Please redact'), thinking })).body;
  expect(content).toMatchObject([{ type: 'redacted_thinking' }, { type: 'text' }]);
  const again = (content: object[]) =>
    answer({ messages: turns('Please redact', content, 'And?'), thinking });
  expect(await again(content)).toMatchObject({ status: 200 });
  const message = expect.stringContaining('Invalid `data`');
  const other = await again([{ type: 'redacted_thinking', data: 'EqQB' }]);
  expect(other).toMatchObject({ status: 400, body: { error: { message } } });
});

test('blocks with cache_control are written to the cache and read from it', async () => {
  const text = (letter: string) => letter.repeat(4 * 1_100);
  const system = (ttl: '5m' | '1h', letter: string) => [
    { type: 'text', text: text(letter), cache_control: { type: 'ephemeral', ttl } },
  ];
  const used = async (request: object) => {
    const { usage } = (await answer(request)).body;
    const { ephemeral_5m_input_tokens: brief, ephemeral_1h_input_tokens: long } = usage.cache_creation ?? {};
    return [usage.cache_read_input_tokens, brief, long, usage.input_tokens];
  };
  const messages = turns('Hi');
  expect(await used({ messages, system: system('5m', 'a') })).toEqual([0, 1_102, 0, 3]);
  expect(await used({ messages, system: system('5m', 'a') })).toEqual([1_102, 0, 0, 3]);
  expect(await used({ messages, system: system('1h', 'b') })).toEqual([0, 0, 1_102, 3]);
  const more = { system: system('1h', 'b'), cache_control: { type: 'ephemeral' } };
  expect(await used({ messages: turns(text('c')), ...more })).toEqual([1_102, 1_101, 0, 1]);
  const [some] = [expect.any(Number)];
  expect(await used({ messages: turns(text('c'), 'Yes', 'Hi'), ...more })).toEqual([2_203, some, 0, some]);
  expect(await used({ messages, system: text('a') })).toEqual([0, 0, 0, 1_105]);
});
