import { deepgramModels } from './model-list.ts';
import { fixedConnection, type ProviderProfile, withoutPath } from './profile.ts';

export const deepgram: ProviderProfile = {
  label: 'Deepgram',
  sources: [
    'https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded',
    'https://developers.deepgram.com/docs/errors',
    'https://www.npmjs.com/package/@deepgram/sdk',
  ],
  baseUrl: 'https://api.deepgram.com',
  formats: { transcribe: ['listen'] },
  modelList: deepgramModels,
  keyVariable: 'DEEPGRAM_API_KEY',
  connect: ({ baseUrl, apiKey }) =>
    fixedConnection(
      withoutPath(baseUrl, '/v1'),
      apiKey === undefined ? {} : { authorization: `Token ${apiKey}` },
    ),
};
