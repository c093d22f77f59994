import { chatText } from '../../bench/chat-text.ts';
import { messagesText } from '../../bench/messages-text.ts';
import { type ClientFormat, paths } from '../../bench/scenarios.ts';

export interface Question {
  model: string;
  format?: ClientFormat;
  stream?: boolean;
  /** The content of the user message: text or parts. */
  content?: unknown;
  signal?: AbortSignal;
}

export function questionBody({ model, stream = false, content = 'What is a gateway?' }: Question): string {
  return JSON.stringify({ model, stream, max_tokens: 4_096, messages: [{ role: 'user', content }] });
}

export function questionHeaders(token: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
  };
}

export function ask(origin: string, token: string, question: Question): Promise<Response> {
  return fetch(origin + paths[question.format ?? 'chat'], {
    method: 'POST',
    headers: questionHeaders(token),
    body: questionBody(question),
    signal: question.signal ?? AbortSignal.timeout(60_000),
  });
}

/** Returns the text of an answer; throws if it is not complete. */
export async function answerText(response: Response, format: ClientFormat = 'chat'): Promise<string> {
  const body = await response.text();
  if (response.status !== 200) throw new Error(`status ${response.status}: ${body}`);
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  return format === 'chat' || !streamed ? chatText(body, streamed) : messagesText(body);
}

/**
 * The error in a body or in the last event of a stream, in the shape of its format; undefined if there is
 * none.
 */
export function errorOf(text: string): { message: string; type: string } | undefined {
  const last = text.trim().split('\n').at(-1) ?? '';
  try {
    return JSON.parse(last.replace(/^data: /, '')).error;
  } catch {
    return undefined;
  }
}

/** A stream that has begun, and its text at its end. */
export async function openStream(
  origin: string,
  token: string,
  question: Question,
): Promise<{ ended: Promise<{ text: string; at: number }> }> {
  const response = await ask(origin, token, { ...question, stream: true });
  if (!response.ok || !response.body) throw new Error(`status ${response.status}: ${await response.text()}`);
  const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const first = await pieces.read();
  const ended = (async () => {
    let text = first.value ?? '';
    for (let piece = first; !piece.done; text += piece.value ?? '') piece = await pieces.read();
    return { text, at: performance.now() };
  })();
  ended.catch(() => {});
  return { ended };
}
