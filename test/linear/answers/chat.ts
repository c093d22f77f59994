import { list } from '../cost.ts';
import { type Answers, sse } from './sse.ts';

const chunk = (delta: object, more: object = {}) =>
  sse({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: null, ...more }] });
const chatEnd = `${sse({ id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`;
const chatStream = (pieces: string[]) => pieces.join('') + chatEnd;
const piece = (
  index: number | undefined,
  id: string | undefined,
  text: unknown,
  name: string | undefined = 'f',
) => chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] });

export const chat: Answers = {
  'calls, each in one piece': n => chatStream(list(n, i => piece(i, `c${i}`, '{}'))),
  'calls without ends': n => chatStream(list(n, i => piece(i, `c${i}`, '{"a":"'))),
  'calls of one id': n => chatStream(list(n, i => piece(i, 'c', '{}'))),
  'calls without ids': n => chatStream(list(n, i => piece(undefined, undefined, '{}', `f${i}`))),
  'calls with one index': n => chatStream(list(n, i => piece(0, `c${i}`, '{}'))),
  'calls in one chunk': n =>
    chatStream([
      chunk({
        tool_calls: list(n, i => ({ index: i, id: `c${i}`, function: { name: 'f', arguments: '{}' } })),
      }),
    ]),
  'pieces of calls in turns': n =>
    chatStream([
      ...list(900, i => piece(i, `c${i}`, '{"a":"')),
      ...list(n, i => piece(i % 900, `c${i % 900}`, 'x', undefined)),
    ]),
  'pieces of one call': n =>
    chatStream([piece(0, 'c', '{"a":"'), ...list(n, () => piece(0, undefined, 'x', undefined))]),
  'pieces of one call that repeat its name and end in a bracket': n =>
    chatStream([piece(0, undefined, '{"a":"'), ...list(n, () => piece(0, undefined, '{}}'))]),
  'pieces of one call that is no object': n =>
    chatStream([piece(0, 'c', '['), ...list(n, () => piece(0, 'c', '1,', undefined))]),
  'blank pieces of one call': n =>
    chatStream([piece(0, 'c', ' '), ...list(n, () => piece(0, 'c', ' ', undefined))]),
  'calls beside one that is long': n =>
    chatStream([
      piece(0, 'c', `{"a":"${'x'.repeat(100 * n)}`),
      ...list(Math.min(n, 900), i => piece(i + 1, `c${i + 1}`, '{')),
    ]),
  texts: n => chatStream(list(n, () => chunk({ content: 'a' }))),
  'texts and reasoning in turns': n =>
    chatStream(list(n, i => chunk(i % 2 ? { content: 'a' } : { reasoning_content: 'b' }))),
  'texts and refusals in turns': n =>
    chatStream(list(n, i => chunk(i % 2 ? { content: 'a' } : { refusal: 'b' }))),
  'texts with citations': n =>
    chatStream([
      ...list(n, i =>
        chunk({
          content: 'word ',
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: `https://a/${i}`, start_index: 5 * i, end_index: 5 * i + 4 },
            },
          ],
        }),
      ),
    ]),
  'citations of all of a text': n =>
    chatStream([
      chunk({ content: 'word '.repeat(n) }),
      chunk({
        annotations: list(n, i => ({ type: 'url_citation', url_citation: { url: `https://a/${i}` } })),
      }),
    ]),
  'images and texts in turns': n =>
    chatStream(
      list(n, i => chunk(i % 2 ? { content: 'a' } : { images: [{ image_url: { url: 'https://a' } }] })),
    ),
  'pieces of content in one chunk': n =>
    chatStream([chunk({ content: list(n, () => ({ type: 'text', text: 'a' })) })]),
  'usage with new names': n =>
    chatStream(list(n, i => sse({ id: 'c', choices: [], usage: { prompt_tokens: 1, [`a${i}`]: 1 } }))),
  'ends with stop reasons': n =>
    chatStream(list(n, i => chunk({}, { finish_reason: 'stop', stop_reason: `name${i}` }))),
  'choices that were not asked for': n =>
    chatStream(
      list(n, i => sse({ id: 'c', choices: [{ index: i, delta: { content: 'a' }, finish_reason: null }] })),
    ),
  comments: n => chatStream([...list(n, () => ': ping\n\n'), chunk({ content: 'a' })]),
};
