import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const minimax: ProviderProfile = {
  label: 'MiniMax',
  sources: ['https://platform.minimax.io/docs/api-reference/text-openai-api'],
  baseUrl: 'https://api.minimax.io/v1',
  formats: { generate: ['chat'] },
  keyVariable: 'MINIMAX_API_KEY',
  differences: {
    chat: {
      reasoningDetails: true,
      thinking: [
        {
          models: /minimax-m[12]/i,
          off: null,
          levels: [],
          source: 'https://java.agentscope.io/v2/en/integration/model/minimax',
          seen: '2026-11',
        },
        {
          off: { thinking: { type: 'disabled' } },
          on: { thinking: { type: 'adaptive' } },
          levels: [],
          source: 'https://java.agentscope.io/v2/en/integration/model/minimax',
          seen: '2026-11',
        },
      ],
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
