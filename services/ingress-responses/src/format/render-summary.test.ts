import { AnswerFold, type GenerateEvent } from '@model-gateway/canonical';
import { readFrames, readResponse } from '@model-gateway/wire/testing/response-reader';
import { expect, test } from 'vitest';
import { withSummaries } from '../store/history.ts';
import { parse } from './parse.ts';
import { rendererOf } from './render.ts';

const message = { type: 'message', role: 'user', content: 'My name is Ada.' };
const request = { model: 'm', store: false, input: [message, { type: 'compaction_trigger' }] };
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

function answered(generated: GenerateEvent[]) {
  const render = rendererOf(parse(request).rendering);
  const { add } = render.stream(context);
  const stream = generated.map(add).join('');
  const fold = new AnswerFold();
  const answer = generated.flatMap(event => fold.add(event) ?? [])[0];
  if (!answer) throw new Error('the events have no end');
  const whole = JSON.parse(JSON.stringify(rendererOf(parse(request).rendering).whole(answer, context)));
  return { stream, whole };
}

test('a request that ends with compaction_trigger returns exactly one compaction item', () => {
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

test('a summary is requested by a prompt that forbids tool calls', () => {
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
  const text = { format: { type: 'json_object' } };
  const parsed = parse({ ...request, tools, text }).canonical();
  expect(parsed.messages).toHaveLength(2);
  expect(JSON.stringify(parsed.messages[1])).toContain('Summarize the conversation');
  expect(parsed).toMatchObject({ toolChoice: { type: 'none' } });
  expect(parsed.output).toBeUndefined();
  expect(parse(request).canonical().toolChoice).toBeUndefined();
});

test.each([
  ['no text', events(''), { status: 'failed', error: { code: 'server_error' } }, 'response.failed'],
  [
    'a truncated summary',
    events('The us', 'length'),
    { status: 'incomplete', output: [] },
    'response.incomplete',
  ],
])('%s is not a summary', (_what, generated, expected, last) => {
  const { stream, whole } = answered(generated);
  expect(whole).toMatchObject(expected);
  expect(readFrames(stream).at(-1)?.type).toBe(last);
  expect(stream).not.toContain('response.completed');
});
