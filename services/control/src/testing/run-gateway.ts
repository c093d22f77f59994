import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The command as it is installed. It starts in a quarter of the time that its source takes. */
export const gatewayProgram = fileURLToPath(new URL('../../../../dist/gateway.js', import.meta.url));

/** The end of a process of the command. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs the command `gateway` in a process, with a standard input. */
export async function runGateway(
  args: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<Ended> {
  const child = spawn(process.execPath, [gatewayProgram, ...args], { env: { ...process.env, ...env } });
  const texts = { out: '', err: '' };
  child.stdout.on('data', chunk => (texts.out += chunk));
  child.stderr.on('data', chunk => (texts.err += chunk));
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, ...texts };
}
