import {
  bearer,
  fixedConnection,
  gptOss,
  type ProviderProfile,
  type ThinkingControl,
  withPath,
} from './profile.ts';

const thinking: readonly ThinkingControl[] = [
  gptOss,
  {
    off: 'none',
    levels: ['low', 'medium', 'high', 'xhigh', 'max'],
    source: 'https://docs.fireworks.ai/guides/reasoning',
    seen: '2026-08',
  },
];

export const fireworks: ProviderProfile = {
  label: 'Fireworks AI',
  sources: ['https://docs.fireworks.ai/tools-sdks/openai-compatibility'],
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  formats: {
    generate: ['chat', 'completions', 'responses'],
    embed: ['embeddings'],
    rerank: ['jina-rerank'],
  },
  maxInputs: { embed: 2048 },
  keyVariable: 'FIREWORKS_API_KEY',
  differences: { chat: { thinking }, responses: { thinking } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/inference/v1'), bearer(apiKey)),
};
