import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { openApi } from './document.ts';

/** Returns the handler that sends the OpenAPI document, which is written once. Its ETag tells a client that its copy is current. */
export function sendDocument(): RequestHandler {
  const bytes = Buffer.from(JSON.stringify(openApi()));
  const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
    etag: tag,
  };
  // Express answers 304 to a request that names the tag.
  return (_request, response) => void response.set(headers).send(bytes);
}
