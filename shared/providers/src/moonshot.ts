import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const moonshot: ProviderProfile = {
  label: 'Moonshot AI',
  sources: ['https://platform.moonshot.ai/docs/api/chat', 'https://platform.moonshot.ai/docs/api/partial'],
  baseUrl: 'https://api.moonshot.ai/v1',
  formats: { generate: ['chat'] },
  keyVariable: 'MOONSHOT_API_KEY',
  prefills: true,
  differences: {
    chat: {
      renames: { max_completion_tokens: 'max_tokens' },
      continuation: { message: { partial: true } },
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
