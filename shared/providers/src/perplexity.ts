import { bearer, fixedConnection, type ProviderProfile } from './profile.ts';

export const perplexity: ProviderProfile = {
  label: 'Perplexity',
  // Its API has no list of models.
  modelList: 'none',
  sources: [
    'https://docs.perplexity.ai/guides/chat-completions-guide',
    'https://github.com/perplexityai/api-discussion/issues/265',
  ],
  baseUrl: 'https://api.perplexity.ai',
  formats: { generate: ['chat'] },
  keyVariable: 'PERPLEXITY_API_KEY',
  differences: { chat: { alternates: true } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(baseUrl, bearer(apiKey)),
};
