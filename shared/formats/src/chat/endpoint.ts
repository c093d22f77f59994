import { sseComment } from '@model-gateway/sse';
import type { FormatEndpoint } from '../client/endpoint.ts';
import { knownFields } from '../client/endpoint.ts';
import { chatFields } from './fields.ts';
import { nestTools, parse } from './parse.ts';
import { chatRenderer, renderError, renderErrorEvent } from './render.ts';
import type { ChatAnswerOptions } from './render-whole.ts';
import { chatRequest, chatTranslatable } from './request.ts';

export const chatCompletions: FormatEndpoint<ChatAnswerOptions> = {
  method: 'POST',
  path: '/v1/chat/completions',
  format: 'chat',
  fields: knownFields(chatRequest, chatTranslatable),
  amend: nestTools,
  parse,
  render: chatRenderer,
  fieldNames: chatFields.names,
  renderError,
  renderErrorEvent,
  ping: sseComment('ping'),
};
