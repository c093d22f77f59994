import { bearer, fixedConnection, type ProviderProfile, type ThinkingControl, withPath } from './profile.ts';

/** A level that a model does not have is ignored, and `thinking` beside `reasoning_effort` is refused. */
const thinking: readonly ThinkingControl[] = [
  {
    models: /kimi-k[3-9]/i,
    off: null,
    levels: ['low', 'high', 'max'],
    reasonedTurns: 'all',
    source: 'https://platform.kimi.ai/docs/guide/use-reasoning-effort',
    seen: '2026-08',
  },
  {
    models: /kimi-k2\.[7-9]/i,
    off: null,
    levels: [],
    reasonedTurns: 'all',
    source: 'https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model',
    seen: '2026-10',
  },
  {
    models: /kimi-(?:k2-)?thinking/i,
    off: null,
    levels: [],
    reasonedTurns: 'calls',
    source: 'https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model',
    seen: '2026-06',
  },
  {
    models: /moonshot-v1|kimi-latest|kimi-k2-(?:\d{4}|turbo)/i,
    off: 'always',
    levels: [],
    source: 'https://platform.kimi.ai/docs/api/models-overview',
    seen: '2026-06',
  },
  {
    off: { thinking: { type: 'disabled' } },
    on: { thinking: { type: 'enabled' } },
    levels: [],
    reasonedTurns: 'calls',
    source: 'https://platform.kimi.ai/docs/api/models-overview',
    seen: '2026-06',
  },
];

export const moonshot: ProviderProfile = {
  label: 'Moonshot AI',
  sources: ['https://platform.moonshot.ai/docs/api/chat', 'https://platform.moonshot.ai/docs/api/partial'],
  baseUrl: 'https://api.moonshot.ai/v1',
  formats: { generate: ['chat'] },
  keyVariable: 'MOONSHOT_API_KEY',
  prefills: true,
  differences: {
    chat: {
      renames: { max_completion_tokens: 'max_tokens' },
      continuation: { message: { partial: true } },
      thinking,
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
