import { cohereModels } from './model-list.ts';
import { bearer, fixedConnection, type ProviderProfile, withoutPath } from './profile.ts';

export const cohere: ProviderProfile = {
  baseUrl: 'https://api.cohere.com',
  formats: { embed: ['cohere-embed'], rerank: ['cohere-rerank'] },
  modelList: cohereModels,
  maxInputs: { embed: 96 },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withoutPath(baseUrl, '/v2'), bearer(apiKey)),
};
