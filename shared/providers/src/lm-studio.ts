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
    levels: ['low', 'medium', 'high'],
    source: 'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2057',
    seen: '2026-06',
  },
];

export const lmStudio: ProviderProfile = {
  label: 'LM Studio',
  sources: ['https://lmstudio.ai/docs/developer/openai-compat'],
  baseUrl: 'http://127.0.0.1:1234/v1',
  formats: { generate: ['chat', 'completions', 'responses'], embed: ['embeddings'] },
  choosesFormats: true,
  maxInputs: { embed: 2048 },
  firstTokenMs: 600_000,
  prefills: true,
  differences: { chat: { thinking }, responses: { thinking } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
