import { list } from '../cost.ts';
import { type Answers, sse } from './sse.ts';

const cohereEvent = (type: string, index: number, message: object) =>
  sse({ type, index, delta: { message } }, type);
const cohereStream = (pieces: string[]) =>
  sse({ type: 'message-start', id: 'c', delta: { message: { role: 'assistant' } } }, 'message-start') +
  pieces.join('') +
  sse({ type: 'message-end', delta: { finish_reason: 'COMPLETE' } }, 'message-end');

export const cohere: Answers = {
  calls: n =>
    cohereStream(
      list(n, i =>
        cohereEvent('tool-call-start', i, {
          tool_calls: { id: `c${i}`, function: { name: 'f', arguments: '{}' } },
        }),
      ),
    ),
  'pieces of one call': n =>
    cohereStream([
      cohereEvent('tool-call-start', 0, { tool_calls: { id: 'c', function: { name: 'f', arguments: '{' } } }),
      ...list(n, () => cohereEvent('tool-call-delta', 0, { tool_calls: { function: { arguments: ' ' } } })),
    ]),
  'texts and thinking in turns': n =>
    cohereStream(
      list(n, i => cohereEvent('content-delta', 0, { content: i % 2 ? { text: 'a' } : { thinking: 'b' } })),
    ),
  'citations of a text': n =>
    cohereStream([
      cohereEvent('content-delta', 0, { content: { text: 'word '.repeat(n) } }),
      ...list(n, i =>
        cohereEvent('citation-start', i, {
          citations: { start: 5 * i, end: 5 * i + 4, sources: [{ document: { url: `https://a/${i}` } }] },
        }),
      ),
    ]),
};
