import { transcriptionRequest, translationRequest } from '@model-gateway/formats';
import {
  knownFields,
  parseNone,
  renderChatError,
  renderNamedChatErrorEvent,
} from '@model-gateway/formats/client';
import type { Endpoint } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { parseTranscription, parseTranslation } from './parse.ts';
import { type TranscriptOptions, transcriptRenderer } from './render.ts';

const common = {
  method: 'POST',
  format: 'transcriptions',
  fields: knownFields(transcriptionRequest, translationRequest),
  contentTypes: ['multipart/form-data'],
  parse: parseNone,
  render: transcriptRenderer,
  renderError: renderChatError,
  fieldNames: { audio: 'file', translate: 'model' },
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
} satisfies Partial<Endpoint<TranscriptOptions>>;

/** Transcriptions of audio. */
export const transcriptions: Endpoint<TranscriptOptions> = {
  ...common,
  path: '/v1/audio/transcriptions',
  parseForm: parseTranscription,
};

/** Translations of audio into English. */
export const translations: Endpoint<TranscriptOptions> = {
  ...common,
  path: '/v1/audio/translations',
  variant: 'translations',
  parseForm: parseTranslation,
};
