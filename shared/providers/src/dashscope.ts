import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const dashscope: ProviderProfile = {
  label: 'Alibaba Cloud DashScope',
  sources: ['https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope'],
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  formats: { generate: ['chat'], embed: ['embeddings'] },
  maxInputs: { embed: 2048 },
  keyVariable: 'DASHSCOPE_API_KEY',
  differences: { chat: { renames: { max_completion_tokens: 'max_tokens' } } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/compatible-mode/v1'), bearer(apiKey)),
};
