import { readStream, type StreamFormat } from './event-stream.ts';

/** What a client received for one request. */
export interface Received {
  /** 0 where no answer came. */
  status: number;
  body: Buffer;
  /** Why the connection ended before the answer did. */
  broken?: string;
}

/**
 * - `clean`: the whole answer, with the expected content.
 * - `cut`: an answer that had begun and ended in an error of its own format.
 * - `broken`: an answer that had begun and ended with its connection, so that no client takes it for complete.
 * - `failed`: nothing of an answer: no connection, no status, or a status other than 200.
 * - `false`: an answer that looks complete and is not the expected one.
 */
export type Outcome = 'clean' | 'cut' | 'broken' | 'failed' | 'false';

/** The content of an answer, by which two answers to the same request are compared. @throws where it has none */
export type ReadBody = (body: Buffer) => string;

/** Judges a whole answer; `expected` is undefined where any content will do. */
export function judgeWhole({ status, body, broken }: Received, read: ReadBody, expected?: string): Outcome {
  if (status !== 200) return 'failed';
  if (broken !== undefined) return 'broken';
  try {
    const content = read(body);
    return expected === undefined || content === expected ? 'clean' : 'false';
  } catch {
    return 'false';
  }
}

/** Judges a stream; an error as its first event counts as `failed`. */
export function judgeStream(received: Received, format: StreamFormat, expected?: string): Outcome {
  const { status, body, broken } = received;
  if (status !== 200) return 'failed';
  const { text, begun, end } = readStream(format, body.toString());
  if (end === 'error') return begun ? 'cut' : 'failed';
  if (end === 'none') return broken === undefined ? 'false' : begun ? 'broken' : 'failed';
  return expected === undefined || text === expected ? 'clean' : 'false';
}
