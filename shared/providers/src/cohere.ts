import { cohereModels } from './model-list.ts';
import { bearer, fixedConnection, type ProviderProfile, withoutPath } from './profile.ts';

export const cohere: ProviderProfile = {
  label: 'Cohere',
  sources: ['https://docs.cohere.com/reference/chat', 'https://docs.cohere.com/reference/chat-stream'],
  baseUrl: 'https://api.cohere.com',
  formats: { generate: ['cohere-chat'], embed: ['cohere-embed'], rerank: ['cohere-rerank'] },
  modelList: cohereModels,
  maxInputs: { embed: 96 },
  keyVariable: 'COHERE_API_KEY',
  connect: ({ baseUrl, apiKey }) => fixedConnection(withoutPath(baseUrl, '/v2'), bearer(apiKey)),
};
