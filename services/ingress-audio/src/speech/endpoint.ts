import { speechRequest } from '@model-gateway/formats';
import { knownFields, renderChatError, renderNamedChatErrorEvent } from '@model-gateway/formats/client';
import type { Endpoint } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { parse } from './parse.ts';
import { speechRenderer } from './render.ts';

/** Text to speech. */
export const speech: Endpoint = {
  method: 'POST',
  path: '/v1/audio/speech',
  format: 'speech',
  fields: knownFields(speechRequest),
  parse,
  render: () => speechRenderer,
  fieldNames: { text: 'input', format: 'response_format' },
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
};
