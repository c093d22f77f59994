import { type Endpoint, knownFields } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { chatRequest, chatTranslatable } from '@model-gateway/wire';
import { parse } from './parse.ts';
import { renderError, renderErrorEvent } from './render.ts';

export const chatCompletions: Endpoint = {
  method: 'POST',
  path: '/v1/chat/completions',
  format: 'chat',
  operation: 'generate',
  fields: knownFields(chatRequest, chatTranslatable),
  parse,
  renderError,
  renderErrorEvent,
  ping: sseComment('ping'),
};
