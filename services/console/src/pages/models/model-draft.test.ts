import type { ModelInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { draftOfModel, newModel, settingsOfDraft } from './model-draft.ts';

const settings = {
  targets: [
    { provider: 'a', model: 'x', weight: 0, price: { input: 0 } },
    { provider: 'b', model: '*' },
  ],
  strategy: 'weighted' as const,
  retries: 0,
  fallbacks: { rateLimit: ['small'], outage: ['small', 'tiny'] },
  affinity: false,
  hedgeAfter: '2s',
  timeouts: { firstToken: '60s', total: '5m' },
  price: { input: 0.25, output: 2 },
  limits: { context: 8_000 },
  realtime: { transcription: 'hear', speech: 'say', voice: 'alloy' },
  drop: ['temperature'],
};
const model: ModelInfo = {
  ...{ name: 'fast', managedBy: 'api', place: null, problems: [] },
  ...{ createdAt: '2026-11-25T00:00:00Z', operations: ['generate'] },
  ...settings,
};

test('a model that is not changed in the form is put as it is', () => {
  expect(settingsOfDraft(draftOfModel(model))).toEqual(settings);
  const upstream = { ...model, realtime: 'upstream' as const };
  expect(settingsOfDraft(draftOfModel(upstream)).realtime).toBe('upstream');
});

test('what is empty is not set', () => {
  const draft = { ...newModel(), price: { input: '' as const }, hedgeAfter: ' ' };
  expect(settingsOfDraft(draft)).toEqual({ targets: [{ provider: '', model: '' }] });
});
