import type { SseEvent } from '@model-gateway/formats/browser';
import { createParser } from 'eventsource-parser';
import type { z } from 'zod/mini';
import { errorBody, Problem } from '../../problem.ts';
import type { Reading } from './use-run.ts';

type Source = Pick<Reading<never>, 'response' | 'raw'>;

/** Reads a whole answer as JSON of a shape. @throws Problem if it is cut off, or has another shape */
export async function readJson<Shape extends z.ZodMiniType>(
  { response, raw }: Source,
  shape: Shape,
): Promise<z.infer<Shape>> {
  const text = await readText({ response, raw });
  return parsed(text, shape);
}

/** Reads a whole answer as text. @throws Problem if it is cut off */
export async function readText({ response, raw }: Source): Promise<string> {
  const text = await response.text().catch(() => {
    throw cutOff();
  });
  raw(text);
  return text;
}

/**
 * Yields the events of a streamed answer as they arrive, until `[DONE]` or the end.
 * @throws Problem for an error event, an event of another shape, and a stream that breaks
 */
export async function* readEvents<Shape extends z.ZodMiniType>(
  { response, raw }: Source,
  shape: Shape,
): AsyncGenerator<z.infer<Shape>> {
  for await (const { data } of readSse(response)) {
    raw(data);
    if (data === '[DONE]') return;
    yield parsed(data, shape);
  }
}

/** Yields each complete event of a stream. An incomplete event at the end is ignored. @throws Problem if the stream breaks */
export async function* readSse(response: Response): AsyncGenerator<SseEvent> {
  const events: SseEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
  for await (const text of readBytes(response, new TextDecoderStream())) {
    parser.feed(text);
    yield* events.splice(0);
  }
}

/** Yields the bytes of a body as they arrive, or the text that they are decoded to. @throws Problem if it is cut off */
export async function* readBytes<Part = Uint8Array<ArrayBuffer>>(
  { body }: Response,
  decoder?: ReadableWritablePair<Part, BufferSource>,
): AsyncGenerator<Part> {
  if (!body) throw notAnAnswer();
  const parts = decoder ? body.pipeThrough(decoder) : (body as unknown as ReadableStream<Part>);
  // Not every browser supports async iteration of a ReadableStream.
  const reader = parts.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw cutOff();
      });
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** True if the response is a stream of events. */
export function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

export function cutOff(message = 'The connection was lost.'): Problem {
  return new Problem(message, { code: 'cut_off' });
}

function parsed<Shape extends z.ZodMiniType>(text: string, shape: Shape): z.infer<Shape> {
  const json = parse(text);
  const failure = errorBody.safeParse(json);
  if (failure.success) {
    const { message, code } = failure.data.error;
    throw new Problem(message, { code: code?.toString() });
  }
  const { data, success } = shape.safeParse(json);
  if (!success) throw notAnAnswer();
  return data as z.infer<Shape>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notAnAnswer();
  }
}

function notAnAnswer(): Problem {
  return new Problem('The answer does not have the expected shape.', { code: 'not_a_stream' });
}
