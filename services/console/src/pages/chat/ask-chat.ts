import { Problem, problemOf } from '../problem.ts';
import type { Piece } from './chunk.ts';
import { readChat } from './read-chat.ts';

export interface ChatRequest {
  model: string;
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[];
  temperature?: number | undefined;
  maxTokens?: number | undefined;
}

/**
 * Sends a chat request. Yields the request's id, then the pieces of the answer. An abort also ends the upstream request.
 * @throws Problem
 */
export async function* askChat(
  secret: string,
  request: ChatRequest,
  signal: AbortSignal,
): AsyncGenerator<Piece | { type: 'accepted'; requestId: string | undefined }> {
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: bodyOf(request),
    signal,
  }).catch(() => {
    throw new Problem('The gateway did not respond.', { code: 'unreachable' });
  });
  if (!response.ok) throw await problemOf(response);
  yield { type: 'accepted', requestId: response.headers.get('x-request-id') ?? undefined };
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !response.body)
    throw new Problem('The response is not an event stream.', { code: 'not_a_stream' });
  yield* readChat(response.body);
}

/** Builds the body. Settings without a value are omitted, so the model's defaults apply. */
function bodyOf({ model, messages, temperature, maxTokens }: ChatRequest): string {
  return JSON.stringify({
    model,
    messages,
    temperature,
    max_tokens: maxTokens,
    stream: true,
    stream_options: { include_usage: true },
  });
}
