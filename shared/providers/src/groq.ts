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
  source: 'https://console.groq.com/docs/reasoning',
  seen: '2026-11',
} as const satisfies Partial<ThinkingControl>;

const thinking: readonly ThinkingControl[] = [
  gptOss,
  { models: /qwq|deepseek-r1/i, off: null, ...guide },
  { models: /llama|gemma|kimi|compound|allam/i, off: 'always', ...guide },
  { off: 'none', on: { reasoning_effort: 'default' }, ...guide },
];

export const groq: ProviderProfile = {
  label: 'Groq',
  sources: [
    'https://console.groq.com/docs/openai',
    'https://github.com/groq/groq-typescript/blob/main/src/resources/chat/completions.ts',
  ],
  baseUrl: 'https://api.groq.com/openai/v1',
  formats: {
    generate: ['chat', 'responses'],
    speech: ['speech'],
    transcribe: ['transcriptions'],
  },
  keyVariable: 'GROQ_API_KEY',
  differences: { chat: { reasoning: 'reasoning', thinking }, responses: { thinking: [gptOss] } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/openai/v1'), bearer(apiKey)),
};
