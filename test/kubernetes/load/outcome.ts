import { readStream, type StreamFormat } from './event-stream.ts';

/** The response that a client received. */
export interface Received {
  /** 0 if no response was received. */
  status: number;
  body: Buffer;
  /** The error that ended the connection before the response's end. */
  broken?: string;
}

/**
 * - `clean`: the complete response with the expected content.
 * - `cut`: a response that had begun and ended with an error of its format.
 * - `broken`: a response that had begun and ended with its connection, so that no client takes it for
 *   complete.
 * - `failed`: no response: no connection, no status, or a status other than 200.
 * - `false`: a response that looks complete and is not the expected one.
 */
export type Outcome = 'clean' | 'cut' | 'broken' | 'failed' | 'false';

/**
 * Returns the content by which two responses to the same request are compared.
 * @throws if it has none
 */
export type ReadBody = (body: Buffer) => string;

/** Judges a non-streamed response; without `expected`, any content is accepted. */
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
