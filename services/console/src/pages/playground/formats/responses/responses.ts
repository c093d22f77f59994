import { efforts } from '../../conversation/settings.ts';
import { soundFormat, type WireFormat } from '../format.ts';
import { buildResponses } from './build.ts';
import { ResponsesReader } from './read.ts';

/** `POST /v1/responses`, with the whole history in each request and nothing stored. */
export const responses: WireFormat = {
  name: 'responses',
  label: 'Responses',
  build: ask => buildResponses(responses, ask),
  reader: () => new ResponsesReader(),
  parameters: {
    temperature: { min: 0, max: 2, step: 0.1 },
    topP: { min: 0, max: 1, step: 0.05 },
    maxTokens: { min: 16 },
    effort: { values: efforts },
    parallelToolCalls: {},
  },
  refuses: media =>
    media.kind === 'audio' && !soundFormat(media)
      ? 'The responses format takes audio as WAV and MP3.'
      : undefined,
};
