import {
  type Endpoint,
  knownFields,
  renderChatError,
  renderNamedChatErrorEvent,
} from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { speechRequest } from '@model-gateway/wire';
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
