import { bearer, fixedConnection, type ProviderProfile, type ThinkingControl, withPath } from './profile.ts';

const measured = {
  // Of other fields, `disabled` together with a level is refused.
  off: { thinking: { type: 'disabled' } },
  levels: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  source: 'https://github.com/anomalyco/models.dev/pull/5564',
  seen: '2026-08',
} as const satisfies ThinkingControl;

const thinking: readonly ThinkingControl[] = [
  {
    ...measured,
    // Its thinking is off by default, and a level alone is refused.
    models: /character/i,
    on: { thinking: { type: 'enabled' } },
    source: 'https://github.com/anomalyco/models.dev/pull/5645',
  },
  measured,
];

export const volcengine: ProviderProfile = {
  label: 'Volcengine Ark',
  sources: ['https://www.volcengine.com/docs/82379/1494384'],
  baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
  formats: {
    generate: ['chat', 'responses'],
    embed: ['embeddings'],
    image: ['images'],
  },
  maxInputs: { embed: 2048 },
  keyVariable: 'ARK_API_KEY',
  differences: { chat: { thinking }, responses: { thinking } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/api/v3'), bearer(apiKey)),
};
