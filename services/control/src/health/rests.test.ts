import { healthMs } from '@model-gateway/bus';
import { type Rest, restKey } from '@model-gateway/catalog';
import { expect, test } from 'vitest';
import { maxRests, Rests } from './rests.ts';

const now = Date.now();
const rest = (model: string, fields: Partial<Rest> = {}): Rest => ({
  version: now,
  provider: 'p',
  model,
  reason: 'failures',
  error: 'upstream',
  since: now,
  until: now + 5_000,
  by: 'front',
  ...fields,
});

function put(rests: Rests, ...all: Rest[]): void {
  for (const one of all) rests.put(restKey(one), one);
}

const models = (rests: Rests, when = now) => [...rests.all(when).values()].map(({ model }) => model);

test('a rest is known for as long as NATS stores it', () => {
  const rests = new Rests();
  put(rests, rest('a'));
  expect(models(rests, now + healthMs)).toEqual(['a']);
  expect(models(rests, now + healthMs + 1)).toEqual([]);
});

test('a value that is no rest takes the place of the earlier one', () => {
  const rests = new Rests();
  put(rests, rest('a'), rest('b'));
  rests.put(restKey(rest('a')), { version: 1 });
  expect(models(rests)).toEqual(['b']);
});

test('the number of rests is bounded, and the oldest are forgotten', () => {
  const rests = new Rests();
  put(rests, rest('first'), rest('second'));
  put(rests, ...Array.from({ length: maxRests - 2 }, (_, i) => rest(`m${i}`)));
  put(rests, rest('first'), rest('last'));
  expect(rests.all(now).size).toBe(maxRests);
  expect(models(rests)).toContain('first');
  expect(models(rests)).not.toContain('second');
});
