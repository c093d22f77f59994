import type { UsageRecord } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { ResponseRecords } from './bridge-usage.ts';

/** The records of a session with these ends of responses. */
function recordsOf(...ends: Record<string, unknown>[]): UsageRecord[] {
  const added: UsageRecord[] = [];
  const session = { envelope: testEnvelope(), announce: () => 'attempt' } as never;
  const writer = { add: (record: UsageRecord) => added.push(record) } as never;
  const traced = { tracing: undefined, catalog: { provider: () => undefined } };
  const target = { provider: 'p', model: 'm' };
  const records = new ResponseRecords(session, writer, target, traced, new ManualClock());
  for (const end of ends) records.read('response.done', { status: 'completed', ...end });
  return added;
}

test.each([
  [
    {
      ...{ total_tokens: 30, input_tokens: 20, output_tokens: 10 },
      input_token_details: { text_tokens: 5, audio_tokens: 15, cached_tokens: 4 },
      output_token_details: { text_tokens: 2, audio_tokens: 8 },
    },
    { input: 20, audioInput: 15, cachedInput: 4, output: 10, audioOutput: 8 },
  ],
  [
    { prompt_tokens: 20, completion_tokens: 10 },
    { input: 20, output: 10 },
  ],
  [
    { total_tokens: 30, output_tokens: 10 },
    { input: 20, output: 10 },
  ],
])('the usage %j of a response is recorded as %j', (usage, recorded) => {
  const [record] = recordsOf({ id: 'r1', usage });
  expect(record?.usage).toMatchObject(recorded);
  expect(record?.estimated).toBeUndefined();
});

test.each([{ total_tokens: 0, input_tokens: 0, output_tokens: 0 }, {}, null])(
  'a response with the usage %j is estimated',
  usage => {
    const [record] = recordsOf({ id: 'r1', usage });
    expect(record).toMatchObject({ usage: { input: 0, output: 0 }, estimated: true });
  },
);

test('an end of a response that is repeated is recorded once', () => {
  const usage = { input_tokens: 20, output_tokens: 10 };
  const zeros = { input_tokens: 0, output_tokens: 0 };
  const records = recordsOf({ id: 'r1', usage }, { id: 'r1', usage: zeros }, { id: 'r2', usage });
  expect(records.map(record => record.usage?.input)).toEqual([20, 20]);
});
