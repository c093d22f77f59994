import { bearer, fixedConnection, gptOss, type ProviderProfile, withPath } from './profile.ts';

export const deepinfra: ProviderProfile = {
  label: 'DeepInfra',
  sources: ['https://deepinfra.com/docs/openai_api'],
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  formats: {
    generate: ['chat', 'completions'],
    embed: ['embeddings'],
    image: ['images'],
    transcribe: ['transcriptions'],
  },
  maxInputs: { embed: 2048 },
  keyVariable: 'DEEPINFRA_API_KEY',
  differences: {
    chat: {
      thinking: [
        gptOss,
        {
          off: 'none',
          levels: ['low', 'medium', 'high', 'xhigh', 'max'],
          source: 'https://github.com/anomalyco/models.dev/pull/2083',
          seen: '2026-09',
        },
      ],
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1/openai'), bearer(apiKey)),
};
