import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

/** The frames of an answer, without `data: `. */
async function frames(request: object): Promise<string[]> {
  const response = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Hello' }], ...request }),
  });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const parts = (await response.text()).split('\n\n');
  expect(parts.pop()).toBe('');
  return parts.map(part => {
    expect(part).toMatch(/^data: [^\n]+$/);
    return part.slice(6);
  });
}

const chunks = async (request: object) => {
  const all = await frames(request);
  expect(all.pop()).toBe('[DONE]');
  return all.map(text => JSON.parse(text));
};

test('a stream has a role, exactly as many chunks of content as in the model name, and a finish reason', async () => {
  const all = await chunks({ model: 'sim-t40' });
  const head = { object: 'chat.completion.chunk', model: 'sim-t40', service_tier: 'default' };
  for (const chunk of all) {
    expect(chunk).toMatchObject({ ...head, id: all[0].id, created: all[0].created });
    expect(chunk).not.toHaveProperty('usage');
    expect(chunk.choices[0]).toMatchObject({ index: 0, logprobs: null });
  }
  const first = { delta: { role: 'assistant', content: '', refusal: null }, finish_reason: null };
  expect(all[0].choices[0]).toMatchObject(first);
  expect(all.at(-1).choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
  const content = all.slice(1, -1).map(({ choices }) => choices[0].delta);
  expect(content).toHaveLength(40);
  for (const delta of content) expect(delta).toEqual({ content: expect.stringMatching(/./s) });
});

test('requested usage is in an extra chunk without choices, and null in all others', async () => {
  const all = await chunks({ model: 'sim-t5', stream_options: { include_usage: true } });
  const last = all.pop();
  for (const { usage } of all) expect(usage).toBeNull();
  expect(last).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
  });
});

test('chunks of several choices are written in turn', async () => {
  const all = await chunks({ model: 'sim-t3', n: 2 });
  expect(all.map(({ choices }) => choices[0].index)).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
});

test('a line separator (U+2028) is escaped in text, tool input and reasoning', async () => {
  const messages = [{ role: 'user', content: 'Look up a\u2028b' }];
  const tools = [{ type: 'custom', custom: { name: 'find' } }];
  const requests = [
    { messages },
    { messages, tools, tool_choice: 'required' },
    { messages, reasoning_effort: 'low' },
  ];
  for (const request of requests) {
    const text = (await frames({ model: 'sim-fast', ...request })).join('');
    expect(text).not.toContain('\u2028');
  }
});
