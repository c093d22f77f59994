import { bearer, fixedConnection, type ProviderProfile, type ThinkingControl, withPath } from './profile.ts';

const guide = {
  source: 'https://docs.x.ai/developers/model-capabilities/text/reasoning',
  seen: '2026-08',
} as const satisfies Partial<ThinkingControl>;

const thinking: readonly ThinkingControl[] = [
  { models: /grok-3-mini/, off: null, levels: ['low', 'high'], ...guide },
  { models: /non-reasoning|grok-[23]/, off: 'always', levels: [], ...guide },
  // They refuse every level.
  { models: /grok-4(?:-|$|\.[12](?!\d)|\.20)|grok-code/, off: null, levels: [], ...guide },
  { off: 'none', levels: ['low', 'medium', 'high'], ...guide },
];

export const xai: ProviderProfile = {
  telemetryName: 'x_ai',
  label: 'xAI',
  sources: ['https://docs.x.ai/docs/api-reference'],
  baseUrl: 'https://api.x.ai/v1',
  formats: { generate: ['chat', 'responses'], image: ['images'] },
  keyVariable: 'XAI_API_KEY',
  differences: { chat: { thinking }, responses: { thinking } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
