import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { BoundSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const program = fileURLToPath(new URL('testing/hello.ts', import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts a process that serves on an inherited socket. */
async function start(bound: BoundSocket): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', bound.fd()],
    env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', LISTEN_FD: '4' },
  });
  children.push(child);
  const [{ url }] = await once(child, 'message');
  return { url, child };
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Sends a request over a new connection. */
async function ask(port: number): Promise<string> {
  const [answer] = await once(request({ port, host: '127.0.0.1', agent: false }).end(), 'response');
  return text(answer);
}

test('connections to an inherited socket wait while no process serves it', async () => {
  using bound = new BoundSocket({ host: '127.0.0.1', port: 0 });
  const { port } = bound.address();
  const { url, child } = await start(bound);
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect(await ask(port)).toBe('hello');
  await end(child);
  const waiting = ask(port);
  await start(bound);
  expect(await waiting).toBe('hello');
});
