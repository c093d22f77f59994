import { bearer } from '../bearer.ts';
import type { Format } from '../format.ts';
import type { Answer } from '../mind/answer.ts';
import { interrupt, refuse } from './error.ts';
import type { Item } from './item.ts';
import { outputOf } from './output.ts';
import { parse, parseCount, type ResponsesAsked } from './parse.ts';
import { Store } from './store.ts';
import { stream } from './stream.ts';
import { whole } from './whole.ts';

/** OpenAI's responses, with what they remember of one another. */
export function createResponses() {
  const store = new Store();
  const kept = (asked: ResponsesAsked, answer: Answer) => {
    if (asked.request.store === false) return;
    // What was made here is as good as what comes back.
    store.keep(`resp_${answer.id}`, asked.items, outputOf(asked, answer) as Item[]);
  };
  const format: Format<ResponsesAsked> = {
    overloaded: 503,
    headers: requestId => ({ 'x-request-id': requestId, 'openai-version': '2020-10-01' }),
    key: bearer,
    parse: body => parse(body, store),
    whole(asked, answer) {
      kept(asked, answer);
      return whole(asked, answer);
    },
    stream(asked, answer) {
      kept(asked, answer);
      return stream(asked, answer);
    },
    refuse,
    interrupt,
  };
  return { format, parseCount: (body: unknown) => parseCount(body, store) };
}
