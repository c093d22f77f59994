import { expect, test } from 'vitest';
import { lastingStreams } from './lasting-streams.ts';

const bytes = { responsesBytes: 3_000_000_000, secretsBytes: 64_000_000 };

test('the streams keep the names, subjects and bounds by which other versions find their data', () => {
  const found = lastingStreams({ replicas: 3, responsesMs: 86_400_000, ...bytes });
  const seen = found.map(({ config, consumer }) => [
    config.name,
    config.subjects?.join(' '),
    config.max_bytes,
    config.max_msgs_per_subject,
    config.max_age,
    consumer?.durable_name,
  ]);
  expect(seen).toEqual([
    ['KEPT', 'gateway.v1.kept.>', 1_970_000_000, 1, undefined, undefined],
    ['KEPT_BYTES', 'gateway.v1.kept-bytes.>', 19_700_000, 1, 93_600_000_000_000, undefined],
    ['EVENTS', 'gateway.v1.events.>', 1_000_000_000, undefined, undefined, undefined],
    ['EVENTS_BYTES', 'gateway.v1.events-bytes.>', 10_000_000, 1, 3_900_000_000_000, undefined],
    ['SECRETS', 'gateway.v1.secret.>', 64_000_000, 1, undefined, undefined],
    ['SECRETS_BYTES', 'gateway.v1.secret-bytes.>', 640_000, 1, 7_800_000_000_000, undefined],
    [
      'WORK',
      'gateway.v1.work.responses gateway.v1.work.responses.>',
      30_000_000,
      undefined,
      undefined,
      'runners',
    ],
  ]);
  expect(found.map(({ config }) => config.num_replicas)).toEqual(Array(7).fill(3));
});
