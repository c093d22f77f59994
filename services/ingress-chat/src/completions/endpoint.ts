import { type Endpoint, knownFields } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { completionRequest } from '@model-gateway/wire';
import { parse } from './parse.ts';
import { renderError, renderErrorEvent } from './render.ts';

/** OpenAI's legacy text completions. */
export const completions: Endpoint = {
  method: 'POST',
  path: '/v1/completions',
  format: 'completions',
  operation: 'generate',
  fields: knownFields(completionRequest),
  parse,
  renderError,
  renderErrorEvent,
  ping: sseComment('ping'),
};
