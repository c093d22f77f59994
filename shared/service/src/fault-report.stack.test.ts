import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Started } from './run.ts';

const program = fileURLToPath(new URL('testing/hello.ts', import.meta.url));
let child: ChildProcess;
let started: Started;
const lines: string[] = [];
beforeAll(async () => {
  child = fork(program, { silent: true, env: { PATH: process.env.PATH, PORT: '0', OPS_PORT: '0' } });
  createInterface({ input: child.stdout as Readable }).on('line', line => lines.push(line));
  [started] = (await once(child, 'message')) as [Started];
});
afterAll(() => child.kill());

async function faults(): Promise<number> {
  const metrics = await (await fetch(`${started.opsUrl}/metrics`)).text();
  return Number(/^gateway_faults_total\{place="process"\} (\d+)$/m.exec(metrics)?.[1]);
}

test.each(['timer', 'turn', 'microtask', 'promise', 'listener', 'error-event', 'signal'])(
  'a process goes on after an exception in a callback, and tells of it: %s',
  async where => {
    const before = await faults();
    lines.length = 0;
    expect(await (await fetch(`${started.url}/${where}`)).text()).toBe('hello');
    await vi.waitFor(async () => expect(await faults()).toBe(before + 1));
    expect(await (await fetch(`${started.url}/`)).text()).toBe('hello');
    await vi.waitFor(() => expect(lines.join('\n')).toContain('exception in a callback'));
    const line = JSON.parse(lines.find(each => each.includes('exception in a callback')) as string);
    expect(line).toMatchObject({ level: 50, place: 'process', err: { message: 'boom' } });
    expect(line.err.stack).toContain('hello.ts');
  },
);
