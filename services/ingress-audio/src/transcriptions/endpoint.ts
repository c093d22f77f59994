import {
  type Endpoint,
  knownFields,
  renderChatError,
  renderNamedChatErrorEvent,
} from '@model-gateway/ingress';
import { parseNone } from '@model-gateway/service';
import { sseComment } from '@model-gateway/sse';
import { transcriptionRequest, translationRequest } from '@model-gateway/wire';
import { parseTranscription, parseTranslation } from './parse.ts';

const common = {
  method: 'POST',
  format: 'transcriptions',
  operation: 'transcribe',
  fields: knownFields(transcriptionRequest, translationRequest),
  contentTypes: ['multipart/form-data'],
  parse: parseNone,
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
} satisfies Partial<Endpoint>;

/** Transcriptions of audio. */
export const transcriptions: Endpoint = {
  ...common,
  path: '/v1/audio/transcriptions',
  parseForm: parseTranscription,
};

/** Translations of audio into English. */
export const translations: Endpoint = {
  ...common,
  path: '/v1/audio/translations',
  variant: 'translations',
  parseForm: parseTranslation,
};
