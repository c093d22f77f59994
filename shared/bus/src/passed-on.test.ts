import { noUsage } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { PassedOn } from './passed-on.ts';

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
