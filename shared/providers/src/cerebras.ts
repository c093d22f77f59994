import { bearer, fixedConnection, gptOss, type ProviderProfile, withPath } from './profile.ts';

export const cerebras: ProviderProfile = {
  label: 'Cerebras',
  sources: [
    'https://inference-docs.cerebras.ai/resources/openai',
    'https://github.com/Cerebras/cerebras-cloud-sdk-node/blob/main/src/resources/chat/completions.ts',
  ],
  baseUrl: 'https://api.cerebras.ai/v1',
  formats: { generate: ['chat', 'completions'] },
  keyVariable: 'CEREBRAS_API_KEY',
  differences: {
    chat: {
      reasoning: 'reasoning',
      thinking: [
        gptOss,
        {
          models: /glm/i,
          off: 'none',
          levels: [],
          source: 'https://inference-docs.cerebras.ai/capabilities/reasoning',
          seen: '2026-06',
        },
      ],
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
