import { execFile } from 'node:child_process';
import { toolEnvironment } from '../environment.mjs';

/**
 * @typedef {object} CommandOptions
 * @property {number} timeoutMs
 * @property {AbortSignal} [signal]
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] Variables in addition to {@link toolEnvironment}.
 */

/**
 * Runs a program and returns its standard output.
 * @param {string} program
 * @param {string[]} args
 * @param {CommandOptions} options
 * @returns {Promise<string>}
 * @throws Error with the reason in one line
 */
export function command(program, args, options) {
  const { timeoutMs, ...rest } = options;
  const env = { ...toolEnvironment(process.env), ...options.env };
  /** @type {{ timeout: number, killSignal: NodeJS.Signals, maxBuffer: number }} */
  const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(program, args, { ...rest, ...limits, env }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else reject(new Error(reason(program, error, stderr, timeoutMs), { cause: error }));
    });
  });
}

/**
 * @param {string} program
 * @param {Error & { killed?: boolean, code?: unknown }} error
 * @param {string} stderr
 * @param {number} ms
 */
function reason(program, error, stderr, ms) {
  if (error.code === 'ENOENT') return `${program} is not installed`;
  if (error.killed) return `${program} did not end within ${ms / 1000} s`;
  const lines = stderr.trim().split('\n');
  return lines.at(-1)?.trim() || `${program} ended with code ${String(error.code)}`;
}
