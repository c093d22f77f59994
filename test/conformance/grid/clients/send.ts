import type { Format } from '../../../stack/formats.ts';
import type { Ask } from '../ask.ts';
import type { Got } from '../got.ts';
import type { Json } from '../json.ts';
import { clients } from './index.ts';

export interface Question {
  /** The gateway's address. */
  url: string;
  token: string;
  format: Format;
  model: string;
  stream: boolean;
}

/** A response with the values of its headers. */
export interface Answered extends Got {
  retryAfter: string | null;
}

/**
 * Sends a request as a client of the format does, and reads the whole response; throws if a client could not
 * read it.
 */
export async function send({ url, token, format, model, stream }: Question, ask: Ask): Promise<Answered> {
  const client = clients[format];
  const { path, body } = client.request(ask, model, stream);
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(120_000),
  });
  const { status, headers } = response;
  const text = await response.text();
  const streamed = headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (streamed !== (stream && status === 200)) throw new Error(`${headers.get('content-type')}: ${text}`);
  const answer: Json = streamed ? client.assemble(text) : JSON.parse(text);
  return { status, retryAfter: headers.get('retry-after'), ...client.read(answer) };
}
