import { expect, test } from 'vitest';
import { VoiceActivity } from './voice-activity.ts';

const rate = 8_000;

function samples(ms: number, level: number): Int16Array {
  return Int16Array.from({ length: (ms * rate) / 1_000 }, (_, i) => level * Math.sin(i / 3));
}

test.each([
  ['default settings', { type: 'server_vad' }, 500],
  ['another silence', { type: 'server_vad', silence_duration_ms: 200 }, 200],
  ['semantic VAD', { type: 'semantic_vad' }, 1_000],
  ['eager semantic VAD', { type: 'semantic_vad', eagerness: 'high' }, 600],
] as const)('turn detection with %s finds the beginning and end of speech', (_what, detection, silenceMs) => {
  const activity = new VoiceActivity(detection, rate, 1_000);
  expect(activity.read(samples(300, 30))).toEqual([]);
  expect(activity.read(samples(400, 6_000))).toEqual([{ type: 'started', ms: 1_300 }]);
  expect(activity.read(samples(silenceMs - 40, 30))).toEqual([]);
  expect(activity.read(samples(100, 30))).toEqual([{ type: 'stopped', ms: 1_700 + silenceMs }]);
});

test('a click does not begin a turn, and a pause does not end it', () => {
  const activity = new VoiceActivity({ type: 'server_vad' }, rate, 0);
  expect(activity.read(samples(40, 20_000))).toEqual([]);
  expect(activity.read(samples(100, 0))).toEqual([]);
  const speechEvents = [300, 0, 300].flatMap((ms, i) =>
    activity.read(samples(ms || 400, i === 1 ? 0 : 6_000)),
  );
  expect(speechEvents).toEqual([{ type: 'started', ms: 140 }]);
});

test('the threshold sets how loud speech must be', () => {
  const detects = (threshold: number, level: number) =>
    new VoiceActivity({ type: 'server_vad', threshold }, rate, 0).read(samples(200, level)).length > 0;
  expect([detects(0.1, 100), detects(0.5, 100), detects(0.5, 1_000), detects(1, 1_000)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
