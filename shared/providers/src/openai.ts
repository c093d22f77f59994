import { openaiThinking } from './openai-thinking.ts';
import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

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
