import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const minimax: ProviderProfile = {
  label: 'MiniMax',
  sources: ['https://platform.minimax.io/docs/api-reference/text-openai-api'],
  baseUrl: 'https://api.minimax.io/v1',
  formats: { generate: ['chat'] },
  keyVariable: 'MINIMAX_API_KEY',
  differences: { chat: { reasoningDetails: true } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
