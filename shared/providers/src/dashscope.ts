import { bearer, fixedConnection, type ProviderProfile, type ThinkingControl, withPath } from './profile.ts';

const guide = {
  source: 'https://www.alibabacloud.com/help/en/model-studio/deep-thinking',
  seen: '2026-10',
} as const satisfies Partial<ThinkingControl>;

const off = { enable_thinking: false };
const on = { enable_thinking: true };

const thinking: readonly ThinkingControl[] = [
  {
    models: /qwen-?[12](?:\.\d)?|qwen-(?:max|long|mt|math|coder)|instruct|qwen3-coder/i,
    off: 'always',
    levels: [],
    ...guide,
  },
  // They refuse `enable_thinking: false`.
  { models: /qwq|qvq|-thinking|deepseek-r1|minimax/i, off: null, levels: [], ...guide },
  { models: /deepseek-v[4-9]/i, off, on, levels: ['high', 'max'], ...guide },
  { models: /deepseek|glm|kimi/i, off, on, levels: [], ...guide },
  { off, on, levels: [], budget: { field: 'thinking_budget', least: 1, most: 38_912 }, ...guide },
];

export const dashscope: ProviderProfile = {
  label: 'Alibaba Cloud DashScope',
  sources: ['https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope'],
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  formats: { generate: ['chat'], embed: ['embeddings'] },
  maxInputs: { embed: 2048 },
  keyVariable: 'DASHSCOPE_API_KEY',
  differences: { chat: { renames: { max_completion_tokens: 'max_tokens' }, thinking } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/compatible-mode/v1'), bearer(apiKey)),
};
