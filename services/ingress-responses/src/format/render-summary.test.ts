import { AnswerFold, type GenerateEvent } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { withSummaries } from '../store/history.ts';
import { readFrames, readResponse } from '../testing/response-reader.ts';
import { parse } from './parse.ts';

const said = { type: 'message', role: 'user', content: 'My name is Ada.' };
const asked = { model: 'm', store: false, input: [said, { type: 'compaction_trigger' }] };
const context = { requestId: 'req_0123', created: 1_700_000_000 };

function events(text: string, reason: 'stop' | 'length' = 'stop'): GenerateEvent[] {
  return [
    { type: 'start', id: 'x', model: 'm' },
    { type: 'part-start', index: 0, part: { type: 'reasoning' } },
    { type: 'part-delta', index: 0, text: 'Let me see.' },
    { type: 'part-end', index: 0 },
    { type: 'part-start', index: 1, part: { type: 'text' } },
    ...(text === '' ? [] : [{ type: 'part-delta' as const, index: 1, text }]),
    { type: 'part-end', index: 1 },
    { type: 'finish', reason, raw: reason, usage: null },
  ];
}

function answered(told: GenerateEvent[]) {
  const { render } = parse(asked);
  const { add } = render.stream(context);
  const stream = told.map(add).join('');
  const fold = new AnswerFold();
  const answer = told.flatMap(event => fold.add(event) ?? [])[0];
  if (!answer) throw new Error('the events are no answer');
  const whole = JSON.parse(JSON.stringify(parse(asked).render.whole(answer, context)));
  return { stream, whole };
}

test('who asks for a summary with the last item gets one item, and nothing beside it', () => {
  const { stream, whole } = answered(events('The user is Ada.'));
  expect(readResponse(stream)).toEqual(whole);
  expect(whole.status).toBe('completed');
  expect(whole.output).toEqual([
    { type: 'compaction', id: 'cmp_0123', encrypted_content: expect.stringMatching(/^gw:/) },
  ]);
  expect(withSummaries(JSON.stringify(whole.output[0]))).toContain('The user is Ada.');
  const types = readFrames(stream).map(({ type }) => type.replace('response.', ''));
  expect(types).toEqual(['created', 'in_progress', 'output_item.added', 'output_item.done', 'completed']);
});

test('the model is asked for it in words, and calls nothing', () => {
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
  const text = { format: { type: 'json_object' } };
  const request = parse({ ...asked, tools, text }).canonical();
  expect(request.messages).toHaveLength(2);
  expect(JSON.stringify(request.messages[1])).toContain('Summarize the conversation');
  expect(request).toMatchObject({ toolChoice: { type: 'none' } });
  expect(request.output).toBeUndefined();
  expect(parse(asked).canonical().toolChoice).toBeUndefined();
});

test.each([
  ['no text', events(''), { status: 'failed', error: { code: 'server_error' } }, 'response.failed'],
  ['half a summary', events('The us', 'length'), { status: 'incomplete', output: [] }, 'response.incomplete'],
])('%s is no summary', (_what, told, expected, last) => {
  const { stream, whole } = answered(told);
  expect(whole).toMatchObject(expected);
  expect(readFrames(stream).at(-1)?.type).toBe(last);
  expect(stream).not.toContain('response.completed');
});
