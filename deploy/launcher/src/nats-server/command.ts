import { execFile } from 'node:child_process';
import { toolEnvironment } from '../environment.ts';

export interface CommandOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  cwd?: string;
  /** Variables in addition to {@link toolEnvironment}. */
  env?: NodeJS.ProcessEnv;
}

/** Runs a program and returns its standard output. @throws Error with the reason in one line */
export function command(program: string, args: string[], options: CommandOptions): Promise<string> {
  const { timeoutMs, ...rest } = options;
  const env = { ...toolEnvironment(process.env), ...options.env };
  const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 } as const;
  return new Promise((resolve, reject) => {
    execFile(program, args, { ...rest, ...limits, env }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else reject(new Error(reason(program, error, stderr, timeoutMs), { cause: error }));
    });
  });
}

function reason(
  program: string,
  error: Error & { killed?: boolean; code?: unknown },
  stderr: string,
  ms: number,
) {
  if (error.code === 'ENOENT') return `${program} is not installed`;
  if (error.killed) return `${program} did not end within ${ms / 1000} s`;
  const lines = stderr.trim().split('\n');
  return lines.at(-1)?.trim() || `${program} ended with code ${String(error.code)}`;
}
