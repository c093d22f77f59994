import { elevenlabsModels } from './model-list.ts';
import { fixedConnection, type ProviderProfile, withoutPath } from './profile.ts';

export const elevenlabs: ProviderProfile = {
  label: 'ElevenLabs',
  sources: [
    'https://elevenlabs.io/docs/api-reference/text-to-speech/stream',
    'https://github.com/elevenlabs/elevenlabs-js',
  ],
  baseUrl: 'https://api.elevenlabs.io',
  formats: { speech: ['text-to-speech'] },
  modelList: elevenlabsModels,
  keyVariable: 'ELEVENLABS_API_KEY',
  connect: ({ baseUrl, apiKey }) =>
    fixedConnection(withoutPath(baseUrl, '/v1'), apiKey === undefined ? {} : { 'xi-api-key': apiKey }),
};
