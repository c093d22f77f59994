import { list } from '../cost.ts';
import { type Answers, sse } from './sse.ts';

const block = (i: number, content_block: object, delta?: object) =>
  sse({ type: 'content_block_start', index: i, content_block }, 'content_block_start') +
  (delta ? sse({ type: 'content_block_delta', index: i, delta }, 'content_block_delta') : '');
const stop = (i: number) => sse({ type: 'content_block_stop', index: i }, 'content_block_stop');
const messagesStream = (pieces: string[]) =>
  sse(
    { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 1 } } },
    'message_start',
  ) +
  pieces.join('') +
  sse(
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    'message_delta',
  ) +
  sse({ type: 'message_stop' }, 'message_stop');
const use = (i: number) => block(i, { type: 'tool_use', id: `c${i}`, name: 'f', input: {} });
const input = (i: number, partial_json: string) =>
  sse({ type: 'content_block_delta', index: i, delta: { type: 'input_json_delta', partial_json } });

export const messages: Answers = {
  calls: n => messagesStream(list(n, i => use(i) + input(i, '{}') + stop(i))),
  'calls that end later': n =>
    messagesStream([...list(n, use), ...list(n, i => input(i, '{}')), ...list(n, stop)]),
  'calls that do not end': n => messagesStream(list(n, i => use(i) + input(i, '{"a":'))),
  'calls with all of their input': n =>
    messagesStream(
      list(n, i => block(i, { type: 'tool_use', id: `c${i}`, name: 'f', input: { a: 1 } }) + stop(i)),
    ),
  'pieces of one call': n => messagesStream([use(0), ...list(n, () => input(0, '{}')), stop(0)]),
  'texts and thinking in turns': n =>
    messagesStream(
      list(n, i =>
        i % 2
          ? block(i, { type: 'text', text: '' }, { type: 'text_delta', text: 'a' }) + stop(i)
          : block(i, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'a' }) + stop(i),
      ),
    ),
  'pieces of a signature': n =>
    messagesStream([
      block(0, { type: 'thinking', thinking: '' }),
      ...list(n, () =>
        sse({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'a' } }),
      ),
      stop(0),
    ]),
  'citations of a text': n =>
    messagesStream([
      block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'a'.repeat(n) }),
      ...list(n, i =>
        sse({
          type: 'content_block_delta',
          index: 0,
          delta: {
            type: 'citations_delta',
            citation: { type: 'web_search_result_location', url: `https://a/${i}` },
          },
        }),
      ),
      stop(0),
    ]),
  "blocks of the vendor's tools": n =>
    messagesStream(list(n, i => block(i, { type: 'server_tool_use', id: 's' }) + input(i, '{}') + stop(i))),
  'usage with new names': n =>
    messagesStream(
      list(n, i => sse({ type: 'message_delta', delta: {}, usage: { [`a${i}`]: 1 } }, 'message_delta')),
    ),
};
