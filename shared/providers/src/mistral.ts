import { bearer, fixedConnection, type ProviderProfile, type ThinkingControl, withPath } from './profile.ts';

const guide = {
  source: 'https://docs.mistral.ai/capabilities/reasoning/',
  seen: '2026-09',
} as const satisfies Partial<ThinkingControl>;

const thinking: readonly ThinkingControl[] = [
  { models: /magistral/, off: null, levels: [], ...guide },
  { models: /zai-glm-5-[3-9]/, off: null, levels: ['low', 'high', 'max'], ...guide },
  { models: /zai-glm/, off: 'none', levels: ['high', 'max'], ...guide },
  {
    models:
      /codestral|devstral|ministral|mistral-(?:large|tiny|nemo|saba|7b)|mixtral|pixtral|voxtral|open-mi/,
    off: 'always',
    levels: [],
    ...guide,
  },
  { models: /mistral-(?:small|medium)-2[3-5]/, off: 'always', levels: [], ...guide },
  { off: 'none', levels: ['high'], ...guide },
];

export const mistral: ProviderProfile = {
  telemetryName: 'mistral_ai',
  label: 'Mistral',
  sources: [
    'https://docs.mistral.ai/api/endpoint/classifiers',
    'https://github.com/mistralai/client-ts/blob/main/src/models/components/chatcompletionstreamrequest.ts',
    'https://github.com/editor-code-assistant/eca/issues/231',
    'https://github.com/charmbracelet/crush/issues/1590',
    'https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py',
  ],
  baseUrl: 'https://api.mistral.ai/v1',
  formats: {
    generate: ['chat'],
    embed: ['embeddings'],
    moderate: ['moderations'],
    transcribe: ['transcriptions'],
  },
  maxInputs: { embed: 2048 },
  prefills: true,
  keyVariable: 'MISTRAL_API_KEY',
  differences: {
    // The server refuses every field that it does not know with 422, `extra_forbidden`.
    chat: {
      renames: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
      omits: ['stream_options', 'user', 'safety_identifier', 'store', 'verbosity'],
      reasoning: null,
      thinking,
      callIds: 'nine-characters',
      continuation: { message: { prefix: true } },
    },
    embeddings: { renames: { dimensions: 'output_dimension' }, omits: ['user'] },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
