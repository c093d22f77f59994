import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const defaultMs = 60_000;

/**
 * Runs a program and returns its output; `input` goes to its standard input. The event loop stays free for a
 * load.
 * @throws Error with its standard error if it fails or takes more than `timeoutMs`
 */
export async function run(
  program: string,
  args: readonly string[],
  { input = '', timeoutMs = defaultMs }: { input?: string; timeoutMs?: number } = {},
): Promise<string> {
  const child = spawn(program, args, { timeout: timeoutMs, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(signal ?? code ?? -1));
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [end, out, error] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (end === 0) return out;
  throw new Error(`${program} ${args.join(' ')} ended with ${end}:\n${error.trim() || out.trim()}`);
}
