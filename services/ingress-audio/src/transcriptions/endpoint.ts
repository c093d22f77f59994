import { type Endpoint, knownFields, renderChatError } from '@model-gateway/ingress';
import { parseNone } from '@model-gateway/service';
import { sseComment } from '@model-gateway/sse';
import { transcriptionRequest, translationRequest } from '@model-gateway/wire';
import { renderAudioErrorEvent } from '../own-format.ts';
import { parseTranscription, parseTranslation } from './parse.ts';

const both = {
  method: 'POST',
  format: 'transcriptions',
  operation: 'transcribe',
  fields: knownFields(transcriptionRequest, translationRequest),
  contentTypes: ['multipart/form-data'],
  parse: parseNone,
  renderError: renderChatError,
  renderErrorEvent: renderAudioErrorEvent,
  ping: sseComment('ping'),
} satisfies Partial<Endpoint>;

/** What is said in an audio. */
export const transcriptions: Endpoint = {
  ...both,
  path: '/v1/audio/transcriptions',
  parseForm: parseTranscription,
};

/** The same in English. */
export const translations: Endpoint = {
  ...both,
  path: '/v1/audio/translations',
  variant: 'translations',
  parseForm: parseTranslation,
};
