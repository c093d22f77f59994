import {
  bearer,
  fixedConnection,
  gptOss,
  type ProviderProfile,
  templateThinks,
  withPath,
} from './profile.ts';

export const nvidiaNim: ProviderProfile = {
  label: 'NVIDIA NIM',
  sources: [
    'https://docs.api.nvidia.com/nim/reference/llm-apis',
    'https://docs.nvidia.com/nim/nemo-retriever/text-embedding/latest/reference.html',
  ],
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  formats: { generate: ['chat', 'completions'], embed: ['nim-embed'] },
  keyVariable: 'NVIDIA_API_KEY',
  differences: {
    chat: {
      thinking: [
        gptOss,
        {
          models: /nemotron|glm|qwen|deepseek|kimi/i,
          off: templateThinks(false),
          on: templateThinks(true),
          levels: ['low', 'medium', 'high', 'max'],
          source: 'https://build.nvidia.com/z-ai/glm5/modelcard',
          seen: '2026-06',
        },
      ],
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
