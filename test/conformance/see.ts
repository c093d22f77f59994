import { EventReader } from '@model-gateway/sse';
import type { Format } from './faults.ts';

/** An answer as a client of one format sees it. */
export interface Seen {
  status: number;
  retryAfter: string | null;
  text: string;
  /** The error of a body or of the last event, in the words of the format; undefined where there is none. */
  error?: { type: string; code?: string | null; message: string };
  /** It ended as an answer of the format does that is whole. */
  ended: boolean;
}

export interface Question {
  url: string;
  token: string;
  format: Format;
  model: string;
  stream: boolean;
}

/** What an error is called: in chat by its code, where it has one. */
export function nameOf({ code, type }: NonNullable<Seen['error']>): string {
  return code ?? type;
}

/** Asks as a client of the format does, and reads all of the answer. */
export async function see({ url, token, format, model, stream }: Question): Promise<Seen> {
  const messages = [{ role: 'user', content: 'Write about the sea.' }];
  const response = await fetch(`${url}${paths[format]}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model, stream, max_tokens: 400, messages }),
    signal: AbortSignal.timeout(15_000),
  });
  const { status, headers } = response;
  const body = await response.text();
  const streamed = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const read = streamed ? readStream(body, format) : readWhole(JSON.parse(body), format);
  return { status, retryAfter: headers.get('retry-after'), ...read };
}

const paths: Record<Format, string> = { chat: '/v1/chat/completions', messages: '/v1/messages' };

type Read = Pick<Seen, 'text' | 'ended' | 'error'>;

// biome-ignore lint/suspicious/noExplicitAny: what the gateway wrote is what is to be found out
type Json = any;

function readWhole(body: Json, format: Format): Read {
  const error = readError(body, format);
  if (error) return { text: '', ended: false, error };
  if (format === 'chat') {
    const [{ message, finish_reason: reason }] = body.choices;
    return { text: message.content, ended: reason !== null };
  }
  const text = body.content.map((block: Json) => block.text ?? '').join('');
  return { text, ended: body.stop_reason !== null };
}

/** Throws for whatever no client of the format could read, and for anything after the end or after an error. */
function readStream(body: string, format: Format): Read {
  const read: Read = { text: '', ended: false };
  for (const { event, data } of new EventReader().read(Buffer.from(body))) {
    if (read.ended || read.error) throw new Error(`more after the end: ${data}`);
    if (format === 'chat' && data === '[DONE]') {
      read.ended = true;
      continue;
    }
    const json: Json = JSON.parse(data);
    if (format === 'messages' && event !== json.type) throw new Error(`${event} is not ${json.type}`);
    const error = readError(json, format);
    if (error) read.error = error;
    else if (format === 'chat') read.text += json.choices[0]?.delta.content ?? '';
    else read.text += json.delta?.text ?? '';
    if (json.type === 'message_stop') read.ended = true;
  }
  return read;
}

/** Throws for an error that is not in the format's shape. */
function readError(json: Json, format: Format): Seen['error'] {
  if (json.error === undefined) return undefined;
  const keys = Object.keys(json.error).sort().join();
  const inShape =
    format === 'chat'
      ? keys === 'code,message,param,type' && Object.keys(json).length === 1
      : keys === 'message,type' && json.type === 'error' && /\S/.test(json.request_id);
  if (!inShape) throw new Error(`not an error of ${format}: ${JSON.stringify(json)}`);
  return json.error;
}
