import { awsFrame } from '../../../shared/formats/src/testing/aws-frames.ts';
import { list } from '../cost.ts';
import type { Answers } from './sse.ts';

const frames = (events: [string, object][]) =>
  Buffer.concat(events.map(([type, payload]) => awsFrame(type, payload)));
const converseStream = (events: [string, object][]) =>
  frames([
    ['messageStart', { role: 'assistant' }],
    ...events,
    ['messageStop', { stopReason: 'end_turn' }],
    ['metadata', { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }],
  ]);
const at = (contentBlockIndex: number, fields: object) => ({ contentBlockIndex, ...fields });

export const converse: Answers = {
  'calls that end later': n =>
    converseStream([
      ...list(n, (i): [string, object] => [
        'contentBlockStart',
        at(i, { start: { toolUse: { toolUseId: `c${i}`, name: 'f' } } }),
      ]),
      ...list(n, (i): [string, object] => ['contentBlockStop', at(i, {})]),
    ]),
  'texts and reasoning in turns': n =>
    converseStream(
      list(n, i => [
        'contentBlockDelta',
        at(0, { delta: i % 2 ? { text: 'a' } : { reasoningContent: { text: 'b' } } }),
      ]),
    ),
  'citations of a text': n =>
    converseStream([
      ['contentBlockDelta', at(0, { delta: { text: 'word '.repeat(n) } })],
      ...list(n, (i): [string, object] => [
        'contentBlockDelta',
        at(0, { delta: { citation: { location: { web: { url: `https://a/${i}` } } } } }),
      ]),
    ]),
  texts: n => converseStream(list(n, () => ['contentBlockDelta', at(0, { delta: { text: 'a' } })])),
};
