import { bearer, fixedConnection, gptOss, type ProviderProfile, withPath } from './profile.ts';

export const nebius: ProviderProfile = {
  label: 'Nebius Token Factory',
  sources: ['https://docs.tokenfactory.nebius.com/api-reference/introduction'],
  baseUrl: 'https://api.tokenfactory.nebius.com/v1',
  formats: {
    generate: ['chat', 'completions'],
    embed: ['embeddings'],
    image: ['images'],
  },
  maxInputs: { embed: 2048 },
  keyVariable: 'NEBIUS_API_KEY',
  differences: { chat: { thinking: [gptOss] } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
