import { bearer, type ProviderKindProfile } from './provider.ts';

/** Any server that speaks OpenAI's formats: vLLM, llama.cpp, LM Studio and many more. */
export const openaiCompatible: ProviderKindProfile = {
  baseUrl: undefined,
  credential: bearer,
};
