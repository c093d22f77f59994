import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

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
