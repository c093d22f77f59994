import type { GenerateEvent } from '@model-gateway/canonical';
import { finish, folded, partEvents } from '@model-gateway/canonical/testing/events';
import { parse, rendererOf } from '@model-gateway/formats/responses';
import { readFrames, readResponse } from '@model-gateway/formats/testing/response-reader';
import { expect, test } from 'vitest';
import { withSummaries } from './history.ts';

const message = { type: 'message', role: 'user', content: 'My name is Ada.' };
const request = { model: 'm', store: false, input: [message, { type: 'compaction_trigger' }] };
const context = { requestId: 'req_0123', created: 1_700_000_000 };

function answered(pieces: string[], reason: 'stop' | 'length' = 'stop') {
  const events: GenerateEvent[] = [
    { type: 'start', id: 'x', model: 'm' },
    ...partEvents(0, { type: 'reasoning' }, ['Let me see.']),
    ...partEvents(1, { type: 'text' }, pieces),
    finish(reason, { usage: null }),
  ];
  const render = () => rendererOf(parse(request).rendering);
  const stream = events.map(render().stream(context).add).join('');
  const types = readFrames(stream).map(({ type }) => type.replace('response.', ''));
  return { stream, types, whole: JSON.parse(JSON.stringify(render().whole(folded(events), context))) };
}

test('a request that ends with compaction_trigger returns exactly one compaction item', () => {
  const { stream, types, whole } = answered(['The user is Ada.']);
  expect(readResponse(stream)).toEqual(whole);
  const encrypted_content = expect.stringMatching(/^gw:/);
  const output = [{ type: 'compaction', id: 'cmp_0123', encrypted_content }];
  expect([whole.status, whole.output]).toEqual(['completed', output]);
  expect(withSummaries(JSON.stringify(whole.output[0]))).toContain('The user is Ada.');
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
  ['no text', answered([]), { status: 'failed', error: { code: 'server_error' } }, 'failed'],
  ['a truncated summary', answered(['The us'], 'length'), { status: 'incomplete', output: [] }, 'incomplete'],
])('%s is not a summary', (_what, { stream, types, whole }, expected, last) => {
  expect(whole).toMatchObject(expected);
  expect(types.at(-1)).toBe(last);
  expect(stream).not.toContain('response.completed');
});
