import type { ProjectInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { draftOfProject, settingsOfDraft } from './project-draft.ts';

const bare: ProjectInfo = {
  ...{ id: '1', name: 'lab', createdAt: '2026-11-25T00:00:00Z', managedBy: 'api', place: null },
  ...{ limits: null, budget: null, allowUnpriced: null, prices: null, weight: null },
  ...{ storeResponses: null, storeErrors: null, logging: null },
};

test('a project without settings sets none', () => {
  const settings = settingsOfDraft(draftOfProject(bare));
  expect(Object.values(settings).every(value => value === null)).toBe(true);
});

test('all settings survive the way through a form', () => {
  const set = {
    limits: { requestsPerMinute: 10, models: { 'gpt-*': { concurrency: 2 } } },
    budget: { amount: 5, period: 'day', endsStreams: false },
    allowUnpriced: true,
    prices: { 'gpt-*': { input: 2, output: 8.5 }, free: {} },
    weight: 0.5,
    storeResponses: false,
    storeErrors: false,
    logging: {
      sample: 0.07,
      redact: ['email', { name: 'employee', pattern: 'EMP-\\d{6}' }],
      retentionDays: 0.5,
      maxBytes: 1024,
    },
  } satisfies Partial<ProjectInfo>;
  const project = { ...bare, ...set };
  expect(settingsOfDraft(draftOfProject(project))).toEqual(set);
});
