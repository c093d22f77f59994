import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const openrouter: ProviderProfile = {
  label: 'OpenRouter',
  sources: [
    'https://openrouter.ai/docs/api-reference/overview',
    'https://openrouter.ai/docs/use-cases/reasoning-tokens',
  ],
  baseUrl: 'https://openrouter.ai/api/v1',
  formats: { generate: ['chat', 'responses'], embed: ['embeddings'] },
  maxInputs: { embed: 2048 },
  keyVariable: 'OPENROUTER_API_KEY',
  differences: {
    chat: {
      reasoning: 'reasoning',
      reasoningDetails: true,
      thinking: [
        {
          // The router maps levels to those of the model.
          off: 'none',
          levels: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
          source: 'https://openrouter.ai/docs/client-sdks/python/components/chatrequestreasoningeffort',
          seen: '2026-08',
        },
      ],
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/api/v1'), bearer(apiKey)),
};
