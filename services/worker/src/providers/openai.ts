import { bearer, openaiDialect, type ProviderKindProfile } from './provider.ts';

export const openai: ProviderKindProfile = {
  baseUrl: 'https://api.openai.com/v1',
  dialect: openaiDialect,
  original: true,
  credential: bearer,
};
