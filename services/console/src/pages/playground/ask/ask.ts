import type { SseEvent } from '@model-gateway/formats/browser';
import { Problem, problemOf } from '../../problem.ts';
import type { AnswerEvent } from '../conversation/answer-event.ts';
import type { AnswerReader } from '../formats/answer-reader.ts';
import type { WireRequest } from '../formats/format.ts';
import { cutOff, isEventStream, readSse } from '../operation/read-answer.ts';

/** What happens while a model answers. */
type RunEvent =
  | { type: 'accepted'; status: number; headers: [name: string, value: string][] }
  /** An event of the stream as it came, and what it adds to the answer. */
  | { type: 'event'; raw: SseEvent; events: AnswerEvent[] };

/**
 * Sends a request and yields what happens until the answer is complete. An abort also ends the upstream request.
 * @throws Problem if the gateway does not respond, or responds with an error, or the stream reports an error, breaks, or ends too early
 */
export async function* ask(
  request: WireRequest,
  reader: AnswerReader,
  secret: string,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const { method, path, headers, credential, body } = request;
  const response = await fetch(path, {
    method,
    headers: { ...headers, [credential.header]: credential.prefix + secret },
    body: JSON.stringify(body),
    signal,
  }).catch(() => {
    throw new Problem('The gateway did not respond.', { code: 'unreachable' });
  });
  yield { type: 'accepted', status: response.status, headers: [...response.headers] };
  if (!response.ok) throw await problemOf(response);
  if (!isEventStream(response))
    throw new Problem('The response is not an event stream.', { code: 'not_a_stream' });
  for await (const raw of readSse(response)) {
    yield { type: 'event', raw, events: reader.read(raw) };
  }
  if (!reader.complete) throw cutOff('The stream ended before the answer was complete.');
}
