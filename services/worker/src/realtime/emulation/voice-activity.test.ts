import { expect, test } from 'vitest';
import { VoiceActivity } from './voice-activity.ts';

const rate = 8_000;

function samples(ms: number, level: number): Int16Array {
  return Int16Array.from({ length: (ms * rate) / 1_000 }, (_, i) => level * Math.sin(i / 3));
}

test.each([
  ['of the usual kind', { type: 'server_vad' }, 500],
  ['of another silence', { type: 'server_vad', silence_duration_ms: 200 }, 200],
  ['that waits for the meaning', { type: 'semantic_vad' }, 1_000],
  ['that is eager', { type: 'semantic_vad', eagerness: 'high' }, 600],
] as const)('detection %s hears a turn begin and end', (_what, detection, silenceMs) => {
  const activity = new VoiceActivity(detection, rate, 1_000);
  expect(activity.read(samples(300, 30))).toEqual([]);
  expect(activity.read(samples(400, 6_000))).toEqual([{ type: 'started', ms: 1_300 }]);
  expect(activity.read(samples(silenceMs - 40, 30))).toEqual([]);
  expect(activity.read(samples(100, 30))).toEqual([{ type: 'stopped', ms: 1_700 + silenceMs }]);
});

test('a click is no speech, and a pause is no end', () => {
  const activity = new VoiceActivity({ type: 'server_vad' }, rate, 0);
  expect(activity.read(samples(40, 20_000))).toEqual([]);
  expect(activity.read(samples(100, 0))).toEqual([]);
  const heard = [300, 0, 300].flatMap((ms, i) => activity.read(samples(ms || 400, i === 1 ? 0 : 6_000)));
  expect(heard).toEqual([{ type: 'started', ms: 140 }]);
});

test('the threshold says how loud speech must be', () => {
  const hears = (threshold: number, level: number) =>
    new VoiceActivity({ type: 'server_vad', threshold }, rate, 0).read(samples(200, level)).length > 0;
  expect([hears(0.1, 100), hears(0.5, 100), hears(0.5, 1_000), hears(1, 1_000)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
