import type { Response } from 'express';

export function sendJson(response: Response, status: number, body: unknown): void {
  // One string is sent in one write with the headers.
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
