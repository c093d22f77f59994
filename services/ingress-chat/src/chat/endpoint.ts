import { type Endpoint, knownFields } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { chatRequest, chatTranslatable } from '@model-gateway/wire';
import { parse } from './parse.ts';
import { chatRenderer, renderError, renderErrorEvent } from './render.ts';
import type { ChatAnswerOptions } from './render-whole.ts';

export const chatCompletions: Endpoint<ChatAnswerOptions> = {
  method: 'POST',
  path: '/v1/chat/completions',
  format: 'chat',
  fields: knownFields(chatRequest, chatTranslatable),
  parse,
  render: chatRenderer,
  renderError,
  renderErrorEvent,
  ping: sseComment('ping'),
};
