import { geminiModels } from './model-list.ts';
import { fixedConnection, type ProviderProfile, withoutPath } from './profile.ts';

export const gemini: ProviderProfile = {
  label: 'Gemini',
  sources: ['https://ai.google.dev/api'],
  telemetryName: 'gcp.gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  formats: { generate: ['generate-content'], embed: ['embed-content'], image: ['generate-content'] },
  maxInputs: { embed: 100 },
  modelList: geminiModels,
  keyVariable: 'GEMINI_API_KEY',
  connect: ({ baseUrl, apiKey }) =>
    fixedConnection(
      withoutPath(baseUrl, '/v1beta'),
      apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
    ),
};
