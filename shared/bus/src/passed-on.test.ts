import { noUsage } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { PassedOn } from './call-attempts.ts';

const chunk = (content: string) => ({
  type: 'verbatim' as const,
  bytes: Buffer.from(
    `data: {"id":"c","choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}\n\n`,
  ),
});

test('the characters of translated parts are counted, and the usage of the start is kept', () => {
  const passed = new PassedOn();
  const usage = { ...noUsage, input: 50, output: 1 };
  passed.add([
    { type: 'start', id: 'a', model: 'm', usage },
    { type: 'part-start', index: 0, part: { type: 'text' } },
    { type: 'part-delta', index: 0, text: 'Hello' },
  ]);
  passed.add([{ type: 'part-delta', index: 0, text: ' you' }]);
  expect([passed.characters, passed.usage]).toEqual([9, usage]);
});

test('the texts of a stream in its own format are counted, and estimated by their bytes once there are enough', () => {
  const passed = new PassedOn();
  const head = `data: {"type":"response.created","response":{"tools":"${'x'.repeat(50_000)}"}}\n\n`;
  passed.add([{ type: 'verbatim', bytes: Buffer.from(head) }]);
  expect(passed.characters).toBe(0);
  for (let sent = 1; sent <= 5_000; sent++) {
    passed.add([chunk(sent % 2 ? 'word ' : 'it ')]);
    if (sent === 10) expect(passed.characters).toBe(40);
  }
  expect(passed.characters).toBeGreaterThan(19_800);
  expect(passed.characters).toBeLessThan(20_200);
});

test('the silence of a stream lasts until its first text, or until its end', async () => {
  const clock = new ManualClock();
  const [speaks, ends] = [new PassedOn(clock), new PassedOn(clock)];
  const begun = clock.now();
  speaks.add([chunk('')]);
  await clock.advance(3_000);
  speaks.add([chunk('word')]);
  await clock.advance(2_000);
  for (const passed of [speaks, ends]) passed.end();
  await clock.advance(5_000);
  expect([speaks, ends].map(({ silentUntil = 0 }) => silentUntil - begun)).toEqual([3_000, 5_000]);
});

test('texts that later events of responses repeat are counted once', () => {
  const event = (fields: object) => ({
    type: 'verbatim' as const,
    bytes: Buffer.from(`event: x\ndata: ${JSON.stringify(fields)}\n\n`),
  });
  const passed = new PassedOn(new ManualClock(), 'responses');
  passed.add([event({ type: 'response.output_text.delta', delta: 'Hello' })]);
  passed.add([event({ type: 'response.output_text.done', text: 'Hello' })]);
  passed.add([
    event({ type: 'response.completed', response: { output: [{ content: [{ text: 'Hello' }] }] } }),
  ]);
  expect(passed.characters).toBe(5);
});
