import { sseComment } from '@model-gateway/sse';
import type { FormatEndpoint } from '../client/endpoint.ts';
import { knownFields } from '../client/endpoint.ts';
import { renderChatError } from '../client/render-errors.ts';
import { responsesFields } from './fields.ts';
import { renderErrorEvent } from './render-failure.ts';
import { responsesRequest, responsesTranslatable } from './request.ts';

/** The properties that all endpoints of the format share. */
export const responsesFormat = {
  method: 'POST',
  format: 'responses',
  fields: knownFields(responsesRequest, responsesTranslatable),
  fieldNames: responsesFields.names,
  renderError: renderChatError,
  renderErrorEvent,
  ping: sseComment('ping'),
} satisfies Partial<FormatEndpoint>;
