import { list } from '../cost.ts';
import { type Answers, sse } from './sse.ts';

const candidate = (parts: object[], more: object = {}) =>
  sse({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
    responseId: 'r',
    modelVersion: 'm',
  });
const googleStream = (pieces: string[]) =>
  pieces.join('') + candidate([{ text: 'end' }], { finishReason: 'STOP' });
const grounding = (n: number, segment: (i: number) => object) => ({
  groundingMetadata: {
    groundingChunks: list(n, i => ({ web: { uri: `https://a/${i}`, title: 'a' } })),
    groundingSupports: list(n, i => ({ segment: segment(i), groundingChunkIndices: [i] })),
  },
});

export const google: Answers = {
  calls: n => googleStream(list(n, i => candidate([{ functionCall: { name: `f${i}`, args: {} } }]))),
  'calls of one id': n =>
    googleStream(list(n, () => candidate([{ functionCall: { id: 'c', name: 'f', args: {} } }]))),
  'calls in one chunk': n =>
    googleStream([candidate(list(n, i => ({ functionCall: { id: `c${i}`, name: 'f', args: {} } })))]),
  'texts and thoughts in turns': n =>
    googleStream(list(n, i => candidate([i % 2 ? { text: 'a' } : { text: 'b', thought: true }]))),
  'texts with signatures': n =>
    googleStream(list(n, () => candidate([{ text: 'a', thoughtSignature: 'S' }]))),
  'segments of a text': n =>
    googleStream([
      candidate([{ text: 'wörd '.repeat(n) }]),
      candidate(
        [{ text: 'a' }],
        grounding(n, i => ({ startIndex: 6 * i, endIndex: 6 * i + 5, text: 'wörd' })),
      ),
    ]),
  'segments with wrong offsets': n =>
    googleStream([
      candidate([{ text: 'word '.repeat(n) }]),
      candidate(
        [{ text: 'a' }],
        grounding(n, i => ({ startIndex: 1, endIndex: 2, text: `none${i}` })),
      ),
    ]),
  'segments that name every source': n =>
    googleStream([
      candidate([{ text: 'word '.repeat(n) }], {
        groundingMetadata: {
          groundingChunks: list(n, i => ({ web: { uri: `https://a/${i}` } })),
          groundingSupports: [
            { segment: { endIndex: 4, text: 'word' }, groundingChunkIndices: list(n, i => i) },
            { segment: { endIndex: 4, text: 'word' }, groundingChunkIndices: list(n, () => 0) },
          ],
        },
      }),
    ]),
  'texts with a source each': n =>
    googleStream(
      list(n, i =>
        i % 2
          ? candidate([{ text: 'b', thought: true }])
          : candidate(
              [{ text: 'word' }],
              grounding(1, () => ({ startIndex: 0, endIndex: 4, text: 'word' })),
            ),
      ),
    ),
  'usage with new names': n =>
    googleStream(list(n, i => sse({ candidates: [], usageMetadata: { [`a${i}`]: 1 } }))),
  'candidates that were not asked for': n =>
    googleStream(list(n, i => sse({ candidates: [{ index: i, content: { parts: [{ text: 'a' }] } }] }))),
  "a vendor's parts": n =>
    googleStream(list(n, () => candidate([{ executableCode: { language: 'PYTHON', code: 'a' } }]))),
};
