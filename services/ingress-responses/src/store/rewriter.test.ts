import { describe, expect, test } from 'vitest';
import { Rewriter } from './rewriter.ts';

const event = (type: string, rest: string) => `event: ${type}\ndata: {"type":"${type}",${rest}}\n\n`;
const delta = (number: number, text: string) =>
  event(
    'response.output_text.delta',
    `"sequence_number":${number},"item_id":"m","output_index":0,"content_index":0,"delta":"${text}"`,
  );
const fields = new Map([
  ['id', '"resp_ours"'],
  ['store', 'true'],
]);
const created = event(
  'response.created',
  '"sequence_number":0,"response":{"id":"resp_theirs","object":"response","store":false,"odd":12345678901234567890,"output":[]}',
);
const completed = event(
  'response.completed',
  '"sequence_number":2,"response":{"id":"resp_theirs","object":"response","store":false,"status":"completed","output":[]}',
);

describe('a stored stream', () => {
  test('a stored stream has the gateway’s fields and is otherwise unchanged', () => {
    const rewriter = new Rewriter(fields);
    expect(rewriter.push(created)).toBe(
      created.replace('resp_theirs', 'resp_ours').replace('"store":false', '"store":true'),
    );
    const text = delta(1, 'a \\"response\\": b, \\"sequence_number\\":9');
    expect(rewriter.push(text)).toBe(text);
    expect(rewriter.push(completed)).toBe('');
    expect(rewriter.ending?.response).toContain('"id":"resp_ours"');
    expect(rewriter.ending?.text).toContain('"store":true');
  });

  test.each([1, 7, 100])('a stream in chunks of %i bytes gives the same result', size => {
    const all = Buffer.from(created + delta(1, 'Grüße 🌍') + completed);
    const rewriter = new Rewriter(fields);
    let out = '';
    for (let at = 0; at < all.length; at += size) out += rewriter.push(all.subarray(at, at + size));
    const whole = new Rewriter(fields);
    expect(out).toBe(whole.push(all));
    expect(rewriter.ending).toEqual(whole.ending);
  });

  test('a stored stream is numbered consecutively, whatever the upstream’s numbers', () => {
    const rewriter = new Rewriter(fields, { first: 5 });
    const unnumbered = event('response.output_text.delta', '"item_id":"m","delta":"x"');
    const out = rewriter.push(delta(0, 'a') + delta(7, 'b') + unnumbered + delta(8, 'c'));
    expect([...out.matchAll(/"sequence_number":(\d+)/g)].map(([, n]) => Number(n))).toEqual([5, 6, 7, 8]);
    expect(rewriter.next).toBe(9);
  });

  test('an error event begins the end of a stored stream', () => {
    const rewriter = new Rewriter(fields);
    expect(rewriter.push(created + event('error', '"sequence_number":1,"code":"x"'))).not.toContain('error');
    expect(rewriter.ending).toMatchObject({ response: '' });
    rewriter.push(completed.replaceAll('completed', 'failed'));
    expect(rewriter.ending?.text).toMatch(/^event: error[\s\S]*event: response\.failed/);
  });

  test.each(['cut', 'fail'] as const)(
    'a stream that is ended by %s() has consecutive numbers and a final response',
    how => {
      const rewriter = new Rewriter(fields);
      const item = '{"type":"message","id":"m","role":"assistant","status":"completed","content":[]}';
      const sent =
        rewriter.push(created) +
        rewriter.push(
          event('response.output_item.added', `"sequence_number":1,"output_index":0,"item":${item}`),
        ) +
        rewriter.push(
          event('response.output_item.done', `"sequence_number":2,"output_index":0,"item":${item}`),
        );
      const { text, response } = rewriter[how]('why');
      const frames = [...(sent + text).matchAll(/^data: (\{.*)$/gm)].map(([, data]) =>
        JSON.parse(data ?? ''),
      );
      expect(frames.map(({ sequence_number }) => sequence_number)).toEqual(frames.map((_, i) => i));
      expect(frames.at(-1)).toMatchObject({ response: { id: 'resp_ours', output: [{ id: 'm' }] } });
      expect(JSON.parse(response)).toMatchObject({ status: how === 'cut' ? 'incomplete' : 'failed' });
    },
  );
});
