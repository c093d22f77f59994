import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createInterface as createQuestions } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { CommandError } from './exit-codes.ts';

/** Asks on a terminal before what cannot be undone; without one, scripts go on. @throws CommandError if the answer is not yes */
export async function confirm(
  question: string,
  input: Pick<ReadStream, 'isTTY'> & NodeJS.ReadableStream = process.stdin,
  output: Pick<WriteStream, 'isTTY'> & NodeJS.WritableStream = process.stderr,
): Promise<void> {
  if (!input.isTTY || !output.isTTY) return;
  const lines = createQuestions({ input, output });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('nothing was done', 1);
  } finally {
    lines.close();
  }
}

/** Reads a password from a file. */
export function passwordOf(path: string): string {
  const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  if (text === '') throw new Error(`${path} is empty`);
  return text;
}

/** Asks for passwords on the terminal, without showing them, or reads a line of standard input for each. */
export async function askPasswords(...prompts: string[]): Promise<string[]> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { stdin } = process;
  const lines = createInterface({ input: stdin, output: hidden, terminal: stdin.isTTY === true });
  const answers: string[] = [];
  try {
    const iterator = lines[Symbol.asyncIterator]();
    for (const prompt of prompts) {
      if (stdin.isTTY) process.stderr.write(`${prompt}: `);
      const { value, done } = await iterator.next();
      if (stdin.isTTY) process.stderr.write('\n');
      if (done || value === '') throw new Error(`no ${prompt.toLowerCase()} was given`);
      answers.push(value);
    }
  } finally {
    lines.close();
  }
  return answers;
}
