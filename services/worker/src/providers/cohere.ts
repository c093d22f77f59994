import { bearer, type ProviderKindProfile } from './provider.ts';

export const cohere: ProviderKindProfile = {
  baseUrl: 'https://api.cohere.com',
  credential: bearer,
};
