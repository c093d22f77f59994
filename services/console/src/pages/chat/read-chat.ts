import { createParser } from 'eventsource-parser';
import { Problem } from '../problem.ts';
import { type Piece, readChunk } from './chunk.ts';

/**
 * Yields the pieces of a streamed answer as they arrive. The answer is complete only after `[DONE]` or a finish reason.
 * @throws Problem if the stream reports an error, is invalid, breaks, or ends before the answer is complete
 */
export async function* readChat(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Piece> {
  let finished = false;
  for await (const data of readEvents(body)) {
    if (data === '[DONE]') return;
    for (const piece of readChunk(data)) {
      if (piece.type === 'finish') finished = true;
      yield piece;
    }
  }
  if (!finished) throw cutOff('The stream ended without [DONE] or a finish reason.');
}

/** Yields the data of each complete event. An incomplete event at the end is ignored. */
async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
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
