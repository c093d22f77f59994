import type { Request, RequestHandler, Response } from 'express';
import { ApiError, toApiError } from './api-error.ts';
import { readBody, sendJson } from './body.ts';
import { type Form, readFile, readForm, type UploadedFile } from './form.ts';
import type { ErrorFormat } from './format.ts';
import type { Traffic } from './traffic.ts';

export interface IncomingRequest {
  request: Request;
  response: Response;
  requestId: string;
}

type Handle<T> = (incoming: IncomingRequest, content: T) => void | Promise<void>;

/** Reads, records and counts a request, checks its key, and writes errors in the shape of the format. */
export function guarded(format: ErrorFormat, traffic: Traffic, handle: Handle<string>): RequestHandler {
  const authorized: Handle<string> = (incoming, body) => {
    format.authorize?.(incoming.request, body);
    return handle(incoming, body);
  };
  return received(format, traffic, authorized, readBody, body => body);
}

/** The same for a form. The first `keptBytes` of each file are kept, but not recorded. */
export function guardedForm(
  format: ErrorFormat,
  traffic: Traffic,
  keptBytes: number,
  handle: Handle<Form>,
): RequestHandler {
  const recorded = ({ fields, files }: Form) =>
    JSON.stringify({ fields, files: files.map(({ head: _head, ...file }) => file) });
  return received(format, traffic, handle, request => readForm(request, keptBytes), recorded);
}

/** The same for a body that is a file. */
export function guardedFile(
  format: ErrorFormat,
  traffic: Traffic,
  keptBytes: number,
  handle: Handle<UploadedFile>,
): RequestHandler {
  const recorded = ({ head: _head, ...file }: UploadedFile) => JSON.stringify(file);
  const read = (request: Request) =>
    readFile(request, { type: request.headers['content-type'] ?? '' }, keptBytes);
  return received(format, traffic, handle, read, recorded);
}

function received<T>(
  format: ErrorFormat,
  traffic: Traffic,
  handle: Handle<T>,
  read: (request: Request) => Promise<T>,
  recorded: (content: T) => string,
): RequestHandler {
  return async (request, response) => {
    const requestId = traffic.trackRequest(response);
    response.setHeaders(new Map(Object.entries(format.headers(requestId))));
    try {
      const content = await read(request);
      traffic.record(request, recorded(content));
      checkKey(format, request);
      await handle({ request, response, requestId }, content);
    } catch (thrown) {
      if (response.headersSent) return void response.destroy();
      const error = toApiError(thrown);
      if (error.retryAfterS !== null && !format.retryInBody)
        response.setHeader('retry-after', error.retryAfterS);
      response.setHeaders(new Map(Object.entries(format.errorHeaders?.(error) ?? {})));
      sendJson(response, error.status, format.errorBody(error, requestId, request.originalUrl));
    }
  };
}

/** Accepts every key but `invalid`, and requests without a key. */
function checkKey(format: ErrorFormat, { headers, originalUrl }: Request): void {
  if (format.key(headers, originalUrl) === 'invalid') throw format.badKey?.() ?? invalidKey();
}

export function invalidKey(): ApiError {
  return new ApiError(401, 'Incorrect API key provided: invalid.', 'invalid_api_key');
}
