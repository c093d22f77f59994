import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const zhipu: ProviderProfile = {
  label: 'Zhipu (Z.ai)',
  sources: [
    'https://docs.bigmodel.cn/cn/guide/develop/openai/introduction',
    'https://docs.z.ai/api-reference/llm/chat-completion',
  ],
  baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
  formats: { generate: ['chat'], embed: ['embeddings'] },
  maxInputs: { embed: 2048 },
  keyVariable: 'ZHIPU_API_KEY',
  differences: { chat: { renames: { max_completion_tokens: 'max_tokens' } } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/api/paas/v4'), bearer(apiKey)),
};
