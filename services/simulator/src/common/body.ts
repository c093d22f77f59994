import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { ApiError } from './api-error.ts';

const maxBytes = 64 * 1024 * 1024;

/** Reads a whole body. Above 64 MB it is read to the end and discarded. @throws ApiError */
export function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.once('end', () => {
      if (size <= maxBytes) resolve(Buffer.concat(chunks).toString());
      else reject(new ApiError(413, `The request body is larger than ${maxBytes} bytes.`));
    });
    request.once('error', reject);
  });
}

export function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ApiError(400, 'We could not parse the JSON body of your request.');
  }
}

/** The credential in `Authorization: Bearer …`. */
export function bearer({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^bearer\s+(\S+)/i.exec(authorization)?.[1];
}

export function sendJson(response: Response, status: number, body: unknown): void {
  // One string is sent in one write with the headers.
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}
