import { bearer, fixedConnection, type ProviderProfile, withoutPath } from './profile.ts';

export const cohere: ProviderProfile = {
  label: 'Cohere',
  sources: ['https://docs.cohere.com/reference/about'],
  baseUrl: 'https://api.cohere.com',
  formats: { embed: ['cohere-embed'], rerank: ['cohere-rerank'] },
  maxInputs: { embed: 96 },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withoutPath(baseUrl, '/v2'), bearer(apiKey)),
};
