import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const deepseek: ProviderProfile = {
  label: 'DeepSeek',
  sources: ['https://api-docs.deepseek.com/', 'https://api-docs.deepseek.com/guides/thinking_mode'],
  baseUrl: 'https://api.deepseek.com/v1',
  formats: { generate: ['chat'] },
  keyVariable: 'DEEPSEEK_API_KEY',
  differences: {
    chat: {
      thinking: [
        {
          // Thinking is on by default. The server itself maps the levels that no model has.
          off: { thinking: { type: 'disabled' } },
          levels: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
          reasonedTurns: 'calls',
          source: 'https://api-docs.deepseek.com/guides/thinking_mode',
          seen: '2026-11',
        },
      ],
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
