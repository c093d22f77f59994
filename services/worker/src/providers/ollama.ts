import { bearer, type ProviderKindProfile } from './provider.ts';

export const ollama: ProviderKindProfile = {
  baseUrl: 'http://127.0.0.1:11434/v1',
  credential: bearer,
};
