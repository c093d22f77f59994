import { type FinishEvent, type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { finish as finishOf, folded, partEvents } from '@model-gateway/canonical/testing/events';
import { EventReader } from '@model-gateway/sse';
import { expect, test } from 'vitest';
import { testFixtures } from '../testing/fixtures.ts';
import { chatRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 1_795_248_000 };
const counts = {
  input: 950,
  cachedInput: 800,
  cacheWrite5m: 30,
  cacheWrite1h: 20,
  output: 70,
  reasoning: 40,
};
const finish = (reason: FinishEvent['reason'] = 'stop', more: Partial<FinishEvent> = {}) =>
  finishOf(reason, { usage: { ...noUsage, ...counts }, ...more });
const start: GenerateEvent = { type: 'start', id: 'msg_1', model: 'claude-x' };
const text = (index: number, ...texts: string[]) => partEvents(index, { type: 'text' }, texts);

const options = { model: 'm', usage: false, legacy: false };
type Choice = { index: number; delta: object; finish_reason: string | null };
type Options = Partial<typeof options>;

const stream = (events: GenerateEvent[], more: Options = {}) =>
  events.map(chatRenderer({ ...options, ...more }).stream(context).add).join('');

function chunks(events: GenerateEvent[], more: Options = {}) {
  const datas = new EventReader().read(Buffer.from(stream(events, more))).map(({ data }) => data);
  expect(datas.pop()).toBe('[DONE]');
  return datas.map(data => JSON.parse(data));
}
const whole = (events: GenerateEvent[], more: Options = {}) =>
  JSON.parse(JSON.stringify(chatRenderer({ ...options, ...more }).whole(folded(events), context)));

/** Each event's usage is the usual one. */
testFixtures(import.meta.dirname, 'render', (from: { events: GenerateEvent[]; options?: Options }) => {
  const told = from.events.map(event => (event.type === 'finish' ? finish(event.reason, event) : event));
  const events = [start, ...told];
  const stream = chunks(events, from.options).flatMap(({ choices }) =>
    choices.map(({ index, delta, finish_reason: end }: Choice) => [index, delta, ...(end ? [end] : [])]),
  );
  return { choices: whole(events, from.options).choices, stream };
});

test('a text stream is rendered byte for byte', () => {
  const head =
    '{"id":"chatcmpl-msg_1","object":"chat.completion.chunk","created":1795248000,"model":"claude-x","service_tier":null,"system_fingerprint":"fp_gateway","choices":[';
  const chunk = (delta: string, reason = 'null') =>
    `data: ${head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}],"usage":null}\n\n`;
  const counts =
    '{"prompt_tokens":950,"completion_tokens":70,"total_tokens":1020,"prompt_tokens_details":{"cached_tokens":800,"cache_write_tokens":50,"audio_tokens":0,"image_tokens":0},"completion_tokens_details":{"reasoning_tokens":40,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}';
  const events = [start, ...text(0, 'Hi "\u2028"'), finish()];
  expect(stream(events, { usage: true })).toBe(
    chunk('{"role":"assistant","content":"","refusal":null}') +
      chunk('{"content":"Hi \\"\\u2028\\""}') +
      chunk('{}', '"stop"') +
      `data: ${head}],"usage":${counts}}\n\ndata: [DONE]\n\n`,
  );
  expect(stream(events)).not.toContain('usage');
});

test('pitfall 3: a complete response has every field and the same usage as the stream', () => {
  const events = [start, ...text(0, 'Hi', '.'), finish()];
  const answer = whole(events);
  const message = { role: 'assistant', content: 'Hi.', refusal: null, annotations: [] };
  expect(answer).toEqual({
    ...{ id: 'chatcmpl-msg_1', object: 'chat.completion', created: 1_795_248_000, model: 'claude-x' },
    ...{ service_tier: null, system_fingerprint: 'fp_gateway' },
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: expect.objectContaining({ prompt_tokens: 950, completion_tokens: 70, total_tokens: 1020 }),
  });
  expect(chunks(events, { usage: true }).at(-1)).toMatchObject({ choices: [], usage: answer.usage });
});

test.each([
  ['chatcmpl-9', 'chatcmpl-9'],
  ['msg_1', 'chatcmpl-msg_1'],
  ['', 'chatcmpl-req_1'],
])('the id %s becomes %s', (id, expected) => {
  const events: GenerateEvent[] = [{ type: 'start', id, model: '' }, ...text(0, 'a'), finish()];
  for (const written of [whole(events), ...chunks(events)])
    expect(written).toMatchObject({ id: expected, model: 'm' });
});

test('unknown token counts are omitted', () => {
  const events = [start, ...text(0, 'a'), finish('stop', { usage: null })];
  expect(whole(events)).not.toHaveProperty('usage');
  expect(chunks(events, { usage: true }).every(({ usage }) => usage === null)).toBe(true);
});
