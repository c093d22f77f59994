import { type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { StopCut } from './stop-cut.ts';

const finish: GenerateEvent = { type: 'finish', reason: 'stop', raw: 'completed', usage: noUsage };

/** Decodes a response with this text, cut at the stop sequences. */
function cut(pieces: readonly string[], stop: readonly string[]) {
  const answer: GenerateEvent[][] = [
    [{ type: 'start', id: 'r', model: 'm' }],
    [{ type: 'part-start', index: 0, part: { type: 'text' } }],
    ...pieces.map((text): GenerateEvent[] => [{ type: 'part-delta', index: 0, text }]),
    [{ type: 'part-end', index: 0 }, finish],
  ];
  const reads = answer.values();
  const decoder = new StopCut({ read: () => reads.next().value ?? [], end: () => [] }, stop);
  const events = answer.flatMap(() => decoder.read(Buffer.alloc(0)));
  return { text: textOf(events), events, end: events.at(-1), over: decoder.cut };
}

function textOf(events: readonly GenerateEvent[]): string {
  return events.map(event => (event.type === 'part-delta' ? event.text : '')).join('');
}

test.each<[string[], string[], string, string | undefined]>([
  [['one STOP two'], ['STOP'], 'one ', 'STOP'],
  [['one ST', 'OP two'], ['STOP'], 'one ', 'STOP'],
  [['o', 'n', 'e', ' ', 'S', 'T', 'O', 'P', '!'], ['STOP'], 'one ', 'STOP'],
  [['one ST', 'OR two'], ['STOP'], 'one STOR two', undefined],
  [['one ST'], ['STOP'], 'one ST', undefined],
  [['SSTOP'], ['STOP'], 'S', 'STOP'],
  [['STOP'], ['STOP'], '', 'STOP'],
  [['a.b\n\nc'], ['\n\n', '.'], 'a', '.'],
  [['aab', 'aac'], ['aabaac'], '', 'aabaac'],
  [['aaba', 'abaac'], ['aabaac'], 'aab', 'aabaac'],
  [['👍', '🏽 x'], ['🏽'], '👍', '🏽'],
])('the text %j with the stop sequences %j becomes %j', (pieces, stop, text, at) => {
  const seen = cut(pieces, stop);
  expect(seen.text).toBe(text);
  expect(seen.over).toBe(at !== undefined);
  expect(seen.end).toMatchObject(at ? { type: 'finish', reason: 'stop-sequence', stopSequence: at } : finish);
  expect(seen.events.filter(({ type }) => type === 'part-end')).toHaveLength(1);
  expect(seen.events.filter(({ type }) => type === 'finish')).toHaveLength(1);
});
