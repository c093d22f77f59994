import type { ProviderKindProfile } from './provider.ts';

export const gemini: ProviderKindProfile = {
  baseUrl: 'https://generativelanguage.googleapis.com',
  credential: apiKey => ({ 'x-goog-api-key': apiKey }),
};
