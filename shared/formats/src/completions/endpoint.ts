import { sseComment } from '@model-gateway/sse';
import type { FormatEndpoint } from '../client/endpoint.ts';
import { knownFields } from '../client/endpoint.ts';
import { completionsFields } from './fields.ts';
import { parse } from './parse.ts';
import { type CompletionAnswerOptions, completionRenderer, renderError, renderErrorEvent } from './render.ts';
import { completionRequest } from './types.ts';

/** OpenAI's legacy text completions. */
export const completions: FormatEndpoint<CompletionAnswerOptions> = {
  method: 'POST',
  path: '/v1/completions',
  format: 'completions',
  fields: knownFields(completionRequest),
  parse,
  render: completionRenderer,
  fieldNames: completionsFields.names,
  renderError,
  renderErrorEvent,
  ping: sseComment('ping'),
};
