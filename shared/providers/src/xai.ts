import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const xai: ProviderProfile = {
  telemetryName: 'x_ai',
  label: 'xAI',
  sources: ['https://docs.x.ai/docs/api-reference'],
  baseUrl: 'https://api.x.ai/v1',
  formats: { generate: ['chat', 'responses'], image: ['images'] },
  keyVariable: 'XAI_API_KEY',
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
