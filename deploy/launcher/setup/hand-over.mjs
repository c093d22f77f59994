import { spawn } from 'node:child_process';
import { say } from './steps.mjs';

/**
 * Runs a program in place of this one: with its terminal, signals and exit code. A signal is passed on once, since npm
 * and the terminal may both send it.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env] Variables in addition to those of this process.
 * @param {boolean} [options.exitWithParent] True to give the program an IPC channel that closes when this process ends.
 * @param {() => number} [options.after] Runs once the program has ended; its exit code, unless 0, replaces the program's.
 */
export function handOver(program, args, { cwd, env = {}, exitWithParent = false, after = () => 0 } = {}) {
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = ['inherit', 'inherit', 'inherit', ...(exitWithParent ? [/** @type {const} */ ('ipc')] : [])];
  /** @type {import('node:child_process').ChildProcess} */
  const child = spawn(program, args, { ...(cwd && { cwd }), stdio, env: { ...process.env, ...env } });
  const stopping = exitWithParent && process.env.npm_lifecycle_event ? leaveWithParent() : () => {};
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) {
    let passed = false;
    process.on(signal, () => {
      stopping();
      if (!passed) child.kill(signal);
      passed = true;
    });
  }
  child.on('error', error => {
    say(`${program}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    stopping();
    if (signal) say(`${program} was terminated by ${signal}`);
    process.exit(after() || (code ?? 1));
  });
}

/** Ends this process, and so its `exitWithParent` child, within 0.5 s of npm being killed, which passes no signal on. */
function leaveWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => process.ppid !== parent && process.exit(1), 500);
  return () => clearInterval(timer);
}
