import { createParser } from 'eventsource-parser';
import { Problem } from '../problem.ts';
import { type Piece, readChunk } from './chunk.ts';

/**
 * The pieces of a streamed answer, as they come. It ends well only where the stream said so, by `[DONE]` or a reason.
 * @throws Problem where the stream tells of an error, makes no sense, breaks, or ends before the answer does
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
  if (!finished) throw cutOff('The stream ended without an end mark.');
}

/** The data of each whole event; an unfinished one at the end is none. */
async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  // Not every browser iterates over a stream by itself.
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
