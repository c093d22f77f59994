import type { EndpointName } from '@model-gateway/admin-api';

/** Examples of the bodies that need more than a glance at their schemas. */
export const examples: Partial<Record<EndpointName, object>> = {
  createToken: {
    name: 'search service',
    project: 'search',
    expiresAt: '2099-12-31T23:59:59Z',
    models: ['sim-*'],
    limits: { requestsPerMinute: 600 },
    budget: { amount: 100, period: 'month' },
    tags: { team: 'search' },
  },
  changeToken: { disabled: true },
  rotateToken: { graceSeconds: 3_600 },
  setProject: {
    limits: { tokensPerMinute: 1_000_000, models: { 'sim-*': { concurrency: 10 } } },
    budget: { amount: 500, period: 'month', endsStreams: true },
    logging: { sample: 0.1, redact: ['email'], retentionDays: 7 },
  },
  setUser: { budget: { amount: 50, period: 'month' } },
  setProvider: { kind: 'openai', apiKey: { value: 'sk-of-the-vendor' }, pool: 'default' },
  setModel: {
    targets: [{ provider: 'openai', model: 'gpt-5-mini', price: { input: 0.25, output: 2 } }],
    limits: { context: 400_000 },
    timeouts: { firstToken: '60s', total: '30m' },
  },
  applyCatalog: {
    providers: [{ name: 'openai', kind: 'openai', apiKey: { set: true } }],
    models: [{ name: 'fast', targets: [{ provider: 'openai', model: 'gpt-5-mini' }] }],
  },
  adoptEntry: { kind: 'project', name: 'lab' },
  setMember: { role: 'member' },
};
