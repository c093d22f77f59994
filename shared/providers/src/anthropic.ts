import { anthropicModels } from './model-list.ts';
import { fixedConnection, type ProviderProfile, withoutPath } from './profile.ts';

export const anthropic: ProviderProfile = {
  label: 'Anthropic',
  sources: ['https://docs.claude.com/en/api/overview'],
  baseUrl: 'https://api.anthropic.com',
  formats: { generate: ['messages'] },
  original: true,
  modelList: anthropicModels,
  keyVariable: 'ANTHROPIC_API_KEY',
  connect: ({ baseUrl, apiKey }) =>
    fixedConnection(withoutPath(baseUrl, '/v1'), apiKey === undefined ? {} : { 'x-api-key': apiKey }),
};
