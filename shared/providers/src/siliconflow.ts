import { bearer, fixedConnection, type ProviderProfile, type ThinkingControl, withPath } from './profile.ts';

const reference = {
  levels: [],
  source: 'https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions',
  seen: '2026-06',
} as const satisfies Partial<ThinkingControl>;

const budget = { field: 'thinking_budget', least: 128, most: 32_768 };

const thinking: readonly ThinkingControl[] = [
  { models: /-thinking|deepseek-r1|qwq|glm-z1|minimax-m/i, off: null, budget, ...reference },
  // They refuse `enable_thinking`.
  {
    models: /instruct|coder|qwen2|glm-4-|deepseek-v(?:2|3$)|llama|gemma|internlm/i,
    off: 'always',
    ...reference,
  },
  { off: { enable_thinking: false }, on: { enable_thinking: true }, budget, ...reference },
];

export const siliconflow: ProviderProfile = {
  label: 'SiliconFlow',
  sources: ['https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions'],
  baseUrl: 'https://api.siliconflow.com/v1',
  formats: {
    generate: ['chat'],
    embed: ['embeddings'],
    rerank: ['jina-rerank'],
    speech: ['speech'],
    transcribe: ['transcriptions'],
  },
  maxInputs: { embed: 2048 },
  keyVariable: 'SILICONFLOW_API_KEY',
  differences: { chat: { renames: { max_completion_tokens: 'max_tokens' }, thinking } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
