import { describe, expect, test } from 'vitest';
import { Continuation } from '../../services/ingress-responses/src/background/continuation.ts';
import { sse } from './answers/sse.ts';
import { faultOf, list } from './cost.ts';

const event = (type: string, number: number, fields: object) =>
  sse({ type, sequence_number: number, ...fields }, type);

/** The events of `n` items, whose ids are those of one attempt. */
const items = (attempt: string) => (n: number) =>
  list(n, i =>
    event('response.output_item.added', i, {
      output_index: i,
      item: { id: `fc_${attempt}_${i}`, call_id: `c_${attempt}_${i}`, type: 'function_call' },
    }),
  );

/** The events of one text in `n` pieces. */
const pieces = (text: string) => (n: number) =>
  list(n, i => event('response.output_text.delta', i, { item_id: 'm', output_index: 0, delta: text }));

type Events = (n: number) => string[];

const attempts: Record<string, [written: Events, again: Events]> = {
  'items with ids of their own': [items('first'), items('second')],
  'pieces of a text': [pieces('aa'), pieces('aa')],
  'longer pieces of a text': [pieces('aa'), n => pieces('a'.repeat(20))(n / 10)],
  'quotes in a text': [items('first'), n => [...items('second')(n), ...pieces('""""')(n)]],
};

describe('an attempt that repeats what was written', () => {
  test.each(Object.entries(attempts))('takes no longer for each of more %s', (_what, [written, again]) => {
    const fault = faultOf(
      n => {
        const before = written(n);
        const events = again(n);
        return () => {
          const continuation = new Continuation(before, before.length);
          for (const each of events) continuation.push(each);
          if (continuation.diverged) throw new Error('the attempts differ');
        };
      },
      { atAStretch: false },
    );
    expect(fault).toBeUndefined();
  });
});
