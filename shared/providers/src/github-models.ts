import { openaiThinking } from './openai.ts';
import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const githubModels: ProviderProfile = {
  label: 'GitHub Models',
  sources: ['https://docs.github.com/en/rest/models/inference'],
  baseUrl: 'https://models.github.ai/inference',
  formats: { generate: ['chat'], embed: ['embeddings'] },
  // Its catalog of models has another address and another form.
  modelList: 'none',
  maxInputs: { embed: 2048 },
  keyVariable: 'GITHUB_MODELS_TOKEN',
  differences: { chat: { thinking: openaiThinking } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/inference'), bearer(apiKey)),
};
