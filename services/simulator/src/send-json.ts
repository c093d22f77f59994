import type { Response } from 'express';

export function sendJson(response: Response, status: number, body: unknown): void {
  // As a string it leaves in one write with its headers.
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
