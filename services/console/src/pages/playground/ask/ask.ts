import type { SseEvent } from '@model-gateway/formats/browser';
import { createParser } from 'eventsource-parser';
import { Problem, problemOf } from '../../problem.ts';
import type { AnswerEvent } from '../conversation/answer-event.ts';
import type { AnswerReader } from '../formats/answer-reader.ts';
import type { WireRequest } from '../formats/format.ts';

/** What happens while a model answers. */
export type RunEvent =
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
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !response.body)
    throw new Problem('The response is not an event stream.', { code: 'not_a_stream' });
  for await (const raw of readEvents(response.body)) {
    yield { type: 'event', raw, events: reader.read(raw) };
  }
  if (!reader.complete) throw cutOff('The stream ended before the answer was complete.');
}

/** Yields each complete event. An incomplete event at the end is ignored. */
async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<SseEvent> {
  const events: SseEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
  // Not every browser supports async iteration of a ReadableStream.
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw cutOff('The connection was lost.');
      });
      if (done) return;
      parser.feed(value);
      yield* events.splice(0);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function cutOff(message: string): Problem {
  return new Problem(message, { code: 'cut_off' });
}
