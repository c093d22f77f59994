import { list } from '../cost.ts';
import { type Answers, sse } from './sse.ts';

const piece = (fields: object) =>
  sse({ id: 'c', model: 'm', choices: [{ index: 0, finish_reason: null, ...fields }] });
const completed = (pieces: string[]) =>
  `${pieces.join('')}${piece({ text: '', finish_reason: 'stop' })}data: [DONE]\n\n`;

export const completions: Answers = {
  texts: n => completed(list(n, () => piece({ text: 'a' }))),
  'texts with log probabilities': n =>
    completed(
      list(n, () =>
        piece({ text: 'a', logprobs: { tokens: ['a'], token_logprobs: [-1], top_logprobs: [{ a: -1 }] } }),
      ),
    ),
  'choices that were not asked for': n =>
    completed(list(n, i => sse({ id: 'c', choices: [{ index: i, text: 'a', finish_reason: null }] }))),
  'choices in one chunk': n =>
    completed([sse({ id: 'c', choices: list(n, index => ({ index, text: 'a', finish_reason: null })) })]),
  'ends with stop reasons': n =>
    completed(list(n, i => piece({ text: '', finish_reason: 'stop', stop_reason: `name${i}` }))),
};
