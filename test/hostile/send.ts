import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliCompressSync, constants } from 'node:zlib';

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Sent {
  baseUrl: string;
  token: string;
}

/** Posts a body as {@link call} does. */
export function post(
  to: Sent,
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answered> {
  return call('POST', to, path, body, headers);
}

/** Sends a request and reads up to a megabyte of the response; resolves to status 0 if the connection broke. */
export function call(
  method: string,
  { baseUrl, token }: Sent,
  path: string,
  body: string | Buffer = '',
  headers: Record<string, string> = {},
): Promise<Answered> {
  return new Promise(resolve => {
    const asked = request(`${baseUrl}${path}`, {
      method,
      agent: false,
      headers: {
        ...(token && { authorization: `Bearer ${token}`, 'x-goog-api-key': token }),
        'anthropic-version': '2023-06-01',
        'vendor-version': '2023-06-01',
        'content-type': 'application/json',
        ...headers,
      },
    });
    asked.on('response', response => {
      let text = '';
      response.on('data', data => {
        if (text.length < 1_000_000) text += data;
      });
      response.on('close', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    asked.on('error', error => resolve({ status: 0, headers: {}, text: error.message }));
    asked.end(body);
  });
}

/** Sends a body compressed with brotli. */
export function postCompressed(to: Sent, path: string, body: string): Promise<Answered> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  return post(to, path, brotliCompressSync(body, { params }), { 'content-encoding': 'br' });
}
