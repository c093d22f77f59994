import { bearer, type ProviderKindProfile } from './provider.ts';

/** Hugging Face's text-embeddings-inference. */
export const tei: ProviderKindProfile = {
  baseUrl: undefined,
  paths: { embeddings: '/v1' },
  credential: bearer,
};
