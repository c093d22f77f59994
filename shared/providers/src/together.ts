import {
  bearer,
  fixedConnection,
  gptOss,
  type ProviderProfile,
  type ThinkingControl,
  withPath,
} from './profile.ts';

const guide = {
  levels: [],
  source: 'https://docs.together.ai/docs/inference/chat/reasoning',
  seen: '2026-08',
} as const satisfies Partial<ThinkingControl>;

const thinking: readonly ThinkingControl[] = [
  gptOss,
  { models: /deepseek-r1|qwq|-thinking|minimax|kimi-k2\.[7-9]/i, off: null, ...guide },
  {
    models: /deepseek-v|glm|kimi|qwen3|cogito|nemotron|gemma-[4-9]/i,
    off: { reasoning: { enabled: false } },
    on: { reasoning: { enabled: true } },
    ...guide,
  },
];

export const together: ProviderProfile = {
  label: 'Together AI',
  sources: ['https://docs.together.ai/docs/openai-api-compatibility'],
  baseUrl: 'https://api.together.xyz/v1',
  formats: {
    generate: ['chat', 'completions'],
    embed: ['embeddings'],
    rerank: ['jina-rerank'],
    speech: ['speech'],
    transcribe: ['transcriptions'],
  },
  maxInputs: { embed: 2048 },
  keyVariable: 'TOGETHER_API_KEY',
  differences: { chat: { thinking } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
