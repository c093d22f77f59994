import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

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
      callIds: 'nine-characters',
      continuation: { message: { prefix: true } },
    },
    embeddings: { renames: { dimensions: 'output_dimension' }, omits: ['user'] },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
