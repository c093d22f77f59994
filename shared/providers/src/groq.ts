import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

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
  differences: { chat: { reasoning: 'reasoning' } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/openai/v1'), bearer(apiKey)),
};
