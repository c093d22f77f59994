import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const lmStudio: ProviderProfile = {
  label: 'LM Studio',
  sources: ['https://lmstudio.ai/docs/developer/openai-compat'],
  baseUrl: 'http://127.0.0.1:1234/v1',
  formats: { generate: ['chat', 'completions', 'responses'], embed: ['embeddings'] },
  choosesFormats: true,
  maxInputs: { embed: 2048 },
  firstTokenMs: 600_000,
  prefills: true,
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
