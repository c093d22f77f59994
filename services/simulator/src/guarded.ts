import type { Request, RequestHandler, Response } from 'express';
import { ApiError, toApiError } from './api-error.ts';
import { readBody, sendJson } from './body.ts';
import { type Form, readForm } from './form.ts';
import type { ErrorFormat } from './format.ts';
import type { Traffic } from './traffic.ts';

export interface IncomingRequest {
  request: Request;
  response: Response;
  requestId: string;
}

interface ReadRequest extends IncomingRequest {
  body: string;
}

/** Reads and counts a request, checks its key, and shows what is thrown in the format's own shape. */
export function guarded(
  format: ErrorFormat,
  traffic: Traffic,
  handle: (incoming: ReadRequest) => void | Promise<void>,
): RequestHandler {
  return received(format, traffic, async incoming => {
    const body = await readBody(incoming.request);
    traffic.record(incoming.request, body);
    checkKey(format, incoming.request);
    await handle({ ...incoming, body });
  });
}

/** The same for a form, of whose files the first `keptBytes` are kept. The form is recorded without them. */
export function guardedForm(
  format: ErrorFormat,
  traffic: Traffic,
  keptBytes: number,
  handle: (incoming: IncomingRequest, form: Form) => void | Promise<void>,
): RequestHandler {
  return received(format, traffic, async incoming => {
    checkKey(format, incoming.request);
    const form = await readForm(incoming.request, keptBytes);
    const files = form.files.map(({ head: _head, ...file }) => file);
    traffic.record(incoming.request, JSON.stringify({ fields: form.fields, files }));
    await handle(incoming, form);
  });
}

function received(
  format: ErrorFormat,
  traffic: Traffic,
  handle: (incoming: IncomingRequest) => Promise<void>,
): RequestHandler {
  return async (request, response) => {
    const requestId = traffic.trackRequest(response);
    response.setHeaders(new Map(Object.entries(format.headers(requestId))));
    try {
      await handle({ request, response, requestId });
    } catch (thrown) {
      if (response.headersSent) response.destroy();
      else sendError(format, toApiError(thrown), { request, response, requestId });
    }
  };
}

function sendError(
  format: ErrorFormat,
  error: ApiError,
  { request, response, requestId }: IncomingRequest,
): void {
  if (error.retryAfterS !== null && !format.retryInBody) response.setHeader('retry-after', error.retryAfterS);
  sendJson(response, error.status, format.errorBody(error, requestId, request.originalUrl));
}

/** Every key but `invalid` is accepted, and so is no key. */
function checkKey(format: ErrorFormat, { headers, originalUrl }: Request): void {
  if (format.key(headers, originalUrl) !== 'invalid') return;
  throw format.badKey?.() ?? new ApiError(401, 'Incorrect API key provided: invalid.', 'invalid_api_key');
}
