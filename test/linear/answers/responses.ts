import { list } from '../cost.ts';
import { type Answers, sse } from './sse.ts';

const of = (type: string, fields: object) => sse({ type, ...fields }, type);
const responsesStream = (pieces: string[], output: object[] = []) =>
  of('response.created', { response: { id: 'r', model: 'm', status: 'in_progress', output: [] } }) +
  pieces.join('') +
  of('response.completed', { response: { id: 'r', model: 'm', status: 'completed', output } });
export const callItem = (i: number, text = '') => ({
  type: 'function_call',
  id: `fc_${i}`,
  call_id: `c${i}`,
  name: 'f',
  arguments: text,
});
const added = (i: number, item: object) => of('response.output_item.added', { output_index: i, item });
const done = (i: number, item: object) => of('response.output_item.done', { output_index: i, item });
const args = (i: number, delta: string) =>
  of('response.function_call_arguments.delta', { output_index: i, item_id: `fc_${i}`, delta });

export const responses: Answers = {
  calls: n =>
    responsesStream(list(n, i => added(i, callItem(i)) + args(i, '{}') + done(i, callItem(i, '{}')))),
  'calls that end later': n =>
    responsesStream([
      ...list(n, i => added(i, callItem(i))),
      ...list(n, i => args(i, '{}')),
      ...list(n, i => done(i, callItem(i, '{}'))),
    ]),
  'calls without places': n =>
    responsesStream(
      list(
        n,
        i =>
          of('response.output_item.added', { item: callItem(i) }) +
          of('response.output_item.done', { item: callItem(i, '{}') }),
      ),
    ),
  'calls of one id': n => responsesStream(list(n, i => done(i, { ...callItem(0, '{}'), id: `fc_${i}` }))),
  'calls at the end alone': n =>
    responsesStream(
      [],
      list(n, i => callItem(i, '{}')),
    ),
  'pieces of one call': n =>
    responsesStream([
      added(0, callItem(0)),
      ...list(n, () => args(0, '{}')),
      done(0, callItem(0, '{}'.repeat(n))),
    ]),
  'parts of a message': n =>
    responsesStream([
      added(0, { type: 'message', id: 'm', role: 'assistant', content: [] }),
      ...list(n, i => of('response.output_text.delta', { output_index: 0, content_index: i, delta: 'a' })),
      done(0, {
        type: 'message',
        id: 'm',
        role: 'assistant',
        content: list(n, () => ({ type: 'output_text', text: 'a' })),
      }),
    ]),
  'parts of a summary': n =>
    responsesStream([
      added(0, { type: 'reasoning', id: 'rs', summary: [] }),
      ...list(n, i =>
        of('response.reasoning_summary_text.delta', { output_index: 0, summary_index: i, delta: 'a' }),
      ),
      done(0, { type: 'reasoning', id: 'rs', summary: list(n, () => ({ type: 'summary_text', text: 'a' })) }),
    ]),
  'citations of a text': n =>
    responsesStream([
      of('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'word '.repeat(n) }),
      ...list(n, i =>
        of('response.output_text.annotation.added', {
          output_index: 0,
          content_index: 0,
          annotation: {
            type: 'url_citation',
            url: `https://a/${i}`,
            start_index: 5 * i,
            end_index: 5 * i + 4,
          },
        }),
      ),
    ]),
  texts: n =>
    responsesStream(
      list(n, () => of('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'a' })),
    ),
  'events that say that it goes on': n =>
    responsesStream(
      list(n, () => of('response.in_progress', { response: { id: 'r', status: 'in_progress' } })),
    ),
};
