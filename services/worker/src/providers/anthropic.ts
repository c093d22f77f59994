import type { ProviderKindProfile } from './provider.ts';

export const anthropic: ProviderKindProfile = {
  baseUrl: 'https://api.anthropic.com',
  original: true,
  credential: apiKey => ({ 'x-api-key': apiKey }),
};
