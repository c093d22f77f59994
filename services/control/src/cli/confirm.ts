import { createInterface } from 'node:readline/promises';
import type { ReadStream, WriteStream } from 'node:tty';
import { CommandError } from './exit-codes.ts';

/** Asks on a terminal before what cannot be undone; without one, scripts go on. @throws CommandError if the answer is not yes */
export async function confirm(
  question: string,
  input: Pick<ReadStream, 'isTTY'> & NodeJS.ReadableStream = process.stdin,
  output: Pick<WriteStream, 'isTTY'> & NodeJS.WritableStream = process.stderr,
): Promise<void> {
  if (!input.isTTY || !output.isTTY) return;
  const lines = createInterface({ input, output });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('nothing was done', 1);
  } finally {
    lines.close();
  }
}
