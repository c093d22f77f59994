import { bearer, fixedConnection, type ProviderProfile, type ThinkingControl, withPath } from './profile.ts';

const disabled = { thinking: { type: 'disabled' } };

/** Thinking is on by default, and a level that a model does not have is ignored. */
const thinking: readonly ThinkingControl[] = [
  {
    models: /glm-5\.[3-9]/i,
    off: null,
    levels: ['low', 'high', 'max'],
    source: 'https://docs.z.ai/guides/capabilities/thinking',
    seen: '2026-09',
  },
  {
    models: /glm-(?:4|z1|5(?:-|$|\.[01]))/i,
    off: disabled,
    on: { thinking: { type: 'enabled' } },
    levels: [],
    source: 'https://docs.z.ai/guides/capabilities/thinking-mode',
    seen: '2026-11',
  },
  {
    off: disabled,
    levels: ['high', 'max'],
    source: 'https://docs.z.ai/guides/overview/concept-param',
    seen: '2026-06',
  },
];

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
  differences: { chat: { renames: { max_completion_tokens: 'max_tokens' }, thinking } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/api/paas/v4'), bearer(apiKey)),
};
