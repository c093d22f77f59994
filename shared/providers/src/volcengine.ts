import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

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
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/api/v3'), bearer(apiKey)),
};
