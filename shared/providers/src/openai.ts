import {
  bearer,
  fixedConnection,
  gptOss,
  type ProviderProfile,
  type ThinkingControl,
  withPath,
} from './profile.ts';

const guide = {
  source: 'https://developers.openai.com/api/docs/guides/reasoning',
  seen: '2026-11',
} as const satisfies Partial<ThinkingControl>;

/** Levels of OpenAI's models, which refuse every other, by the pages of the models. */
export const openaiThinking: readonly ThinkingControl[] = [
  gptOss,
  { models: /(?:^|[/.:])(?:gpt-[34]|chatgpt-|gpt-5-chat)/, off: 'always', levels: [], ...guide },
  { models: /gpt-5\.\d+-chat/, off: null, levels: ['medium'], ...guide },
  { models: /gpt-5-pro/, off: null, levels: ['high'], ...guide },
  { models: /gpt-5\.\d+-pro/, off: null, levels: ['medium', 'high', 'xhigh'], ...guide },
  { models: /gpt-5(?:\.1)?-codex(?!-max)/, off: null, levels: ['low', 'medium', 'high'], ...guide },
  { models: /gpt-5\.\d+-codex/, off: null, levels: ['low', 'medium', 'high', 'xhigh'], ...guide },
  {
    models: /gpt-5(?:-mini|-nano)?(?:-\d{4}-|$)/,
    off: null,
    levels: ['minimal', 'low', 'medium', 'high'],
    ...guide,
  },
  { models: /gpt-5\.1/, off: 'none', levels: ['low', 'medium', 'high'], ...guide },
  { models: /gpt-5\.\d/, off: 'none', levels: ['low', 'medium', 'high', 'xhigh'], ...guide },
  { models: /gpt-6(?:\.[1-9]|-astra)/, off: null, levels: ['low', 'medium', 'high', 'xhigh'], ...guide },
  { models: /(?:^|[/.])o[134](?:-|$)/, off: null, levels: ['low', 'medium', 'high'], ...guide },
];

export const openai: ProviderProfile = {
  label: 'OpenAI',
  sources: ['https://platform.openai.com/docs/api-reference'],
  baseUrl: 'https://api.openai.com/v1',
  formats: {
    generate: ['chat', 'responses'],
    embed: ['embeddings'],
    moderate: ['moderations'],
    image: ['images'],
    speech: ['speech'],
    transcribe: ['transcriptions'],
    realtime: ['realtime'],
  },
  choosesFormats: true,
  maxInputs: { embed: 2048 },
  original: true,
  keyVariable: 'OPENAI_API_KEY',
  differences: { chat: { thinking: openaiThinking }, responses: { thinking: openaiThinking } },
  hasRealtime: model => model.includes('realtime'),
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
