import type { Request, RequestHandler, Response } from 'express';
import { readBody } from './body.ts';
import type { Refusing } from './format.ts';
import { Refusal, toRefusal } from './refusal.ts';
import { sendJson } from './send-json.ts';
import type { Traffic } from './traffic.ts';

/** A request that has been read, and where its answer goes. */
export interface Visit {
  request: Request;
  response: Response;
  body: string;
  requestId: string;
}

/** Reads and counts a request, checks its key, and shows what is thrown in the format's own shape. */
export function guarded(
  format: Refusing,
  traffic: Traffic,
  handle: (visit: Visit) => void | Promise<void>,
): RequestHandler {
  return async (request, response) => {
    const requestId = traffic.arrived(response);
    response.setHeaders(new Map(Object.entries(format.headers(requestId))));
    try {
      const body = await readBody(request);
      traffic.record(request, body);
      checkKey(format, request);
      await handle({ request, response, body, requestId });
    } catch (thrown) {
      if (response.headersSent) response.destroy();
      else sendRefusal(format, toRefusal(thrown), { request, response, requestId });
    }
  };
}

function sendRefusal(
  format: Refusing,
  refusal: Refusal,
  { request, response, requestId }: Omit<Visit, 'body'>,
): void {
  if (refusal.retryAfterS !== null && !format.retryInBody)
    response.setHeader('retry-after', refusal.retryAfterS);
  sendJson(response, refusal.status, format.refuse(refusal, requestId, request.originalUrl));
}

/** Any key will do, and none will too; only the key `invalid` is not valid. */
function checkKey(format: Refusing, { headers, originalUrl }: Request): void {
  if (format.key(headers, originalUrl) !== 'invalid') return;
  throw format.badKey?.() ?? new Refusal(401, 'Incorrect API key provided: invalid.', 'invalid_api_key');
}
