import type { IncomingMessage } from 'node:http';
import { renderGenerateContentError, renderMessagesError } from '@model-gateway/formats/client';
import { headerText } from '../admit/admit.ts';
import type { Endpoint } from '../answer/endpoint.ts';

/** The shape of errors of a service, and the header of its request ids. */
export type ErrorShape = Pick<Endpoint, 'renderError' | 'requestIdHeader'>;

const messagesHeaders = ['anthropic-version', 'vendor-version', 'x-api-key'];
const googleHeaders = ['x-goog-api-key', 'x-goog-api-client'];

/** True if the headers are those of a client of the messages format, whatever path it asks. */
export function speaksMessages({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return messagesHeaders.some(name => headers[name] !== undefined);
}

/** Returns the shape of the error of a path that no service has: that of the client's format if its headers show it, else `own`. */
export function shapeOfUnknownPath(request: IncomingMessage, own: ErrorShape): ErrorShape {
  if (googleHeaders.some(name => headerText(request, name)))
    return { renderError: error => renderGenerateContentError(error, true) };
  return speaksMessages(request) ? { renderError: renderMessagesError, requestIdHeader: 'request-id' } : own;
}
