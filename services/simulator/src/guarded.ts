import type { Request, RequestHandler, Response } from 'express';
import { readBody } from './body.ts';
import type { Refusing } from './format.ts';
import type { Part } from './multipart.ts';
import { recordedParts } from './multipart-record.ts';
import { Refusal, toRefusal } from './refusal.ts';
import { sendJson } from './send-json.ts';
import type { Traffic } from './traffic.ts';

/** A request whose body is still to come, and where its answer goes. */
export interface Arrival {
  request: Request;
  response: Response;
  requestId: string;
}

/** A request that has been read. */
export interface Visit extends Arrival {
  body: string;
}

/** Reads and counts a request, checks its key, and shows what is thrown in the format's own shape. */
export function guarded(
  format: Refusing,
  traffic: Traffic,
  handle: (visit: Visit) => void | Promise<void>,
): RequestHandler {
  return received(format, traffic, async arrival => {
    const body = await readBody(arrival.request);
    traffic.record(arrival.request, body);
    checkKey(format, arrival.request);
    await handle({ ...arrival, body });
  });
}

/** The same for a form, whose parts `handle` reads as they come. */
export function guardedForm(
  format: Refusing,
  traffic: Traffic,
  handle: (arrival: Arrival, parts: AsyncIterable<Part>) => void | Promise<void>,
): RequestHandler {
  return received(format, traffic, async arrival => {
    checkKey(format, arrival.request);
    await handle(arrival, recordedParts(arrival.request, traffic));
  });
}

function received(
  format: Refusing,
  traffic: Traffic,
  handle: (arrival: Arrival) => Promise<void>,
): RequestHandler {
  return async (request, response) => {
    const requestId = traffic.arrived(response);
    response.setHeaders(new Map(Object.entries(format.headers(requestId))));
    try {
      await handle({ request, response, requestId });
    } catch (thrown) {
      if (response.headersSent) response.destroy();
      else sendRefusal(format, toRefusal(thrown), { request, response, requestId });
    }
  };
}

function sendRefusal(format: Refusing, refusal: Refusal, { request, response, requestId }: Arrival): void {
  if (refusal.retryAfterS !== null && !format.retryInBody)
    response.setHeader('retry-after', refusal.retryAfterS);
  sendJson(response, refusal.status, format.refuse(refusal, requestId, request.originalUrl));
}

/** Any key will do, and none will too; only the key `invalid` is not valid. */
function checkKey(format: Refusing, { headers, originalUrl }: Request): void {
  if (format.key(headers, originalUrl) !== 'invalid') return;
  throw format.badKey?.() ?? new Refusal(401, 'Incorrect API key provided: invalid.', 'invalid_api_key');
}
