import type { Endpoint } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { parse } from './parse.ts';
import { renderError, renderErrorEvent } from './render.ts';

export const chatCompletions: Endpoint = {
  method: 'POST',
  path: '/v1/chat/completions',
  format: 'chat',
  operation: 'generate',
  parse,
  renderError,
  renderErrorEvent,
  ping: sseComment('ping'),
};
