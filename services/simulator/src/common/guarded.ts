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

/** Reads the body of a request. */
export interface BodyReader<T> {
  read(request: Request): Promise<T>;
  /** Returns the body as it is recorded. */
  recorded(content: T): string;
}

const textBody: BodyReader<string> = { read: readBody, recorded: body => body };

/** Reads a form. The first `keptBytes` of each file are kept, but not recorded. */
export function formBody(keptBytes: number): BodyReader<Form> {
  return {
    read: request => readForm(request, keptBytes),
    recorded: ({ fields, files }) =>
      JSON.stringify({ fields, files: files.map(({ head: _head, ...file }) => file) }),
  };
}

/** The same for a body that is a file. */
export function fileBody(keptBytes: number): BodyReader<UploadedFile> {
  return {
    read: request => readFile(request, { type: request.headers['content-type'] ?? '' }, keptBytes),
    recorded: ({ head: _head, ...file }) => JSON.stringify(file),
  };
}

/** Reads, records and counts a request, checks its key, and writes errors in the shape of the format. */
export function guarded<T = string>(
  format: ErrorFormat,
  traffic: Traffic,
  handle: (incoming: IncomingRequest, content: T) => void | Promise<void>,
  { read, recorded }: BodyReader<T> = textBody as BodyReader<never>,
): RequestHandler {
  return async (request, response) => {
    const requestId = traffic.trackRequest(response);
    response.setHeaders(new Map(Object.entries(format.headers(requestId))));
    try {
      const content = await read(request);
      const text = recorded(content);
      traffic.record(request, text);
      checkKey(format, request);
      format.authorize?.(request, text);
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
