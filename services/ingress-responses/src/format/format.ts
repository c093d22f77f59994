import { type Endpoint, knownFields, renderChatError } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { responsesRequest, responsesTranslatable } from '@model-gateway/wire';
import { renderErrorEvent } from './render-failure.ts';

/** The properties that all endpoints of the format share. */
export const responsesFormat = {
  method: 'POST',
  format: 'responses',
  fields: knownFields(responsesRequest, responsesTranslatable),
  renderError: renderChatError,
  renderErrorEvent,
  ping: sseComment('ping'),
} satisfies Partial<Endpoint>;
