import { sseComment } from '@model-gateway/sse';
import { type FormatEndpoint, knownFields, parseNone } from '../client/endpoint.ts';
import { renderChatError, renderNamedChatErrorEvent } from '../client/render-errors.ts';
import { parseTranscription, parseTranslation } from './parse.ts';
import { type TranscriptOptions, transcriptRenderer } from './render.ts';
import { transcriptionRequest, translationRequest } from './request.ts';

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
} satisfies Partial<FormatEndpoint<TranscriptOptions>>;

/** Transcriptions of audio. */
export const transcriptions: FormatEndpoint<TranscriptOptions> = {
  ...common,
  path: '/v1/audio/transcriptions',
  parseForm: parseTranscription,
};

/** Translations of audio into English. */
export const translations: FormatEndpoint<TranscriptOptions> = {
  ...common,
  path: '/v1/audio/translations',
  variant: 'translations',
  parseForm: parseTranslation,
};
