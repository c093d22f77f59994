import { bearer, type ProviderKindProfile } from './provider.ts';

export const openai: ProviderKindProfile = {
  baseUrl: 'https://api.openai.com/v1',
  original: true,
  credential: bearer,
};
