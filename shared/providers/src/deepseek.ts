import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const deepseek: ProviderProfile = {
  label: 'DeepSeek',
  sources: ['https://api-docs.deepseek.com/', 'https://api-docs.deepseek.com/guides/thinking_mode'],
  baseUrl: 'https://api.deepseek.com/v1',
  formats: { generate: ['chat'] },
  keyVariable: 'DEEPSEEK_API_KEY',
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
