import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

/** The chunks of an answer. */
async function chunks(request: object) {
  const asks = {
    model: 'sim-fast',
    stream: true,
    messages: [{ role: 'user', content: 'Hello' }],
    ...request,
  };
  const url = `${simulator.url}/v1/chat/completions`;
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(asks) });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const text = await response.text();
  // A line separator is escaped.
  expect(text).toMatch(/^(data: [^\n\u2028]+\n\n)+$/);
  const all = text.slice(6, -2).split('\n\ndata: ');
  expect(all.pop()).toBe('[DONE]');
  return all.map(data => JSON.parse(data));
}

test('a stream has a role, exactly as many chunks of content as in the model name, and a finish reason', async () => {
  const all = await chunks({ model: 'sim-t40' });
  const head = { object: 'chat.completion.chunk', model: 'sim-t40' };
  for (const { usage, ...chunk } of all) {
    expect(chunk).toMatchObject({ ...head, id: all[0].id, created: all[0].created });
    expect([usage, chunk.choices[0]]).toMatchObject([undefined, { index: 0, logprobs: null }]);
  }
  const delta = { role: 'assistant', content: '', refusal: null };
  const [first, ...content] = all.map(({ choices }) => choices[0]);
  expect(first).toMatchObject({ delta, finish_reason: null });
  expect(content.pop()).toMatchObject({ delta: {}, finish_reason: 'stop' });
  expect(content).toHaveLength(40);
  for (const { delta } of content) expect(delta).toEqual({ content: expect.stringMatching(/./s) });
});

test('requested usage is in an extra chunk without choices, and null in all others', async () => {
  const all = await chunks({ model: 'sim-t5', stream_options: { include_usage: true } });
  const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
  expect(all.pop()).toMatchObject({ choices: [], usage });
  for (const { usage } of all) expect(usage).toBeNull();
});

test('chunks of several choices are written in turn, and the first choice ends last', async () => {
  const all = await chunks({ model: 'sim-t3', n: 2 });
  expect(all.map(({ choices }) => choices[0].index)).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 1, 0]);
});

test('a line separator (U+2028) is escaped in text, tool input and reasoning', async () => {
  const messages = [{ role: 'user', content: 'Look up a\u2028b' }];
  const tools = [{ type: 'custom', custom: { name: 'find' } }];
  for (const more of [{}, { tools, tool_choice: 'required' }, { reasoning_effort: 'low' }])
    expect(await chunks({ messages, ...more })).not.toEqual([]);
});
