import { renamePath, type SpeechRequest } from '@model-gateway/canonical';
import type { CanonicalInput, Dialect, UpstreamFields } from '../upstream/dialect.ts';
import { decodeAudio, decodeFailure } from './decode.ts';
import { encode } from './encode.ts';

/** The canonical fields of the fields that the upstream names in errors. */
const fields: UpstreamFields = {
  text: 'text',
  voice_id: 'voice',
  output_format: 'format',
  'voice_settings.speed': 'speed',
};

/** The speech API of ElevenLabs. No client format matches it, so every request is translated. */
export const textToSpeechDialect: Dialect<CanonicalInput<SpeechRequest>> = {
  format: 'text-to-speech',
  bodies: ['canonical'],
  choices: 'one',
  encode,
  // A translated request asks for no events: its audio is decoded by `decodeWhole` as it arrives.
  decodeStream: input => decodeAudio(input, ''),
  decodeWhole: decodeAudio,
  decodeBody: () => undefined,
  decodeFailure,
  pathOf: param => renamePath(param, fields),
};
