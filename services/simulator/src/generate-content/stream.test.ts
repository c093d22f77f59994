import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

async function streamed(model: string, query = '', said = 'Hello') {
  const url = `${simulator.url}/v1beta/models/${model}:streamGenerateContent${query}`;
  const body = JSON.stringify({ contents: [{ parts: [{ text: said }] }] });
  const response = await fetch(url, { method: 'POST', body });
  const text = await response.text().catch(() => '');
  return { status: response.status, type: response.headers.get('content-type'), text };
}

test('events have data alone, and end with a reason', async () => {
  const { text, type } = await streamed('sim-t3', '?alt=sse');
  expect(type).toMatch(/^text\/event-stream/);
  const frames = text.split('\n\n');
  expect(frames.pop()).toBe('');
  const chunks = frames.map(frame => {
    expect(frame).toMatch(/^data: \{[^\n]+$/);
    return JSON.parse(frame.slice(6));
  });
  expect(chunks).toHaveLength(4);
  for (const chunk of chunks) {
    expect(chunk).toMatchObject({ modelVersion: 'sim-t3', responseId: chunks[0].responseId });
    expect(chunk.candidates[0].content.role).toBe('model');
  }
  expect(chunks.map(({ usageMetadata }) => usageMetadata.candidatesTokenCount)).toEqual([1, 2, 3, 3]);
  expect(chunks.map(({ candidates }) => candidates[0].finishReason ?? null)).toEqual([
    null,
    null,
    null,
    'STOP',
  ]);
});

test.each(['', '?alt=json', '?key=any'])('without alt=sse it is one array: %j', async query => {
  const { text, type } = await streamed('sim-t3', query);
  expect(type).toMatch(/^application\/json/);
  const [first, ...chunks] = JSON.parse(text);
  expect(first).not.toHaveProperty('candidates');
  expect(chunks).toHaveLength(4);
  expect(chunks.at(-1).candidates[0].finishReason).toBe('STOP');
  expect(text.split('\n,\n')).toHaveLength(5);
});

test('an array has every fault', async () => {
  const error = { error: { code: 503, status: 'UNAVAILABLE' } };
  expect(JSON.parse((await streamed('fault-error')).text).at(-1)).toMatchObject(error);
  expect(JSON.parse((await streamed('fault-error-first')).text)).toMatchObject([error]);
  const refused = await streamed('fault-429-2s');
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.text)).toMatchObject([{ error: { code: 429, details: [{ retryDelay: '2s' }] } }]);
  for (const model of ['fault-truncate', 'fault-malformed', 'fault-no-end'])
    await expect(streamed(model).then(({ text }) => JSON.parse(text))).rejects.toThrow(SyntaxError);
  expect(JSON.parse((await streamed('fault-bytes-t5')).text)).toHaveLength(7);
  expect((await streamed('fault-reset')).text).toBe('');
});

test('a model may have slashes and colons in its name', async () => {
  const { text } = await streamed('some/sim-t3:latest', '?alt=sse');
  expect(text).toContain('"modelVersion":"some/sim-t3:latest"');
  expect((await streamed(encodeURIComponent('some/sim-t3'), '?alt=sse')).text).toContain('some/sim-t3');
});

test('an unknown method is not found', async () => {
  const response = await fetch(`${simulator.url}/v1beta/models/sim-t3:dream`, { method: 'POST' });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
});
