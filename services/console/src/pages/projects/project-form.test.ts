import type { ProjectInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { settingsOf } from './project-form.tsx';

test('a form that changes nothing sends all settings of a project as they are', () => {
  const settings = {
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
  const project: ProjectInfo = {
    ...{ id: '1', name: 'lab', createdAt: '2026-11-25T00:00:00Z' },
    ...{ managedBy: 'api', place: null },
    ...settings,
  };
  expect(settingsOf(project)).toEqual(settings);
});
