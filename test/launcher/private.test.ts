import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chat } from './ask.ts';
import { cleanUp, Launched, newFolder, type ReadyFile } from './launched.ts';

const nobody = 65_534;
const isRoot = process.geteuid?.() === 0;
const hasProc = existsSync('/proc/self/environ');

let folder: string;
let gateway: Launched;
let ready: ReadyFile;

// A folder that others may enter, behind a symbolic link, and a provider's key under an unknown name.
beforeAll(async () => {
  const parent = newFolder();
  folder = newFolder();
  chmodSync(parent, 0o755);
  chmodSync(folder, 0o755);
  symlinkSync(folder, join(parent, 'link'));
  const env = {
    OPENAI_API_KEY: 'sk-provider-1',
    MY_UPSTREAM: 'sk-provider-2',
    GATEWAY_UPSTREAM: 'sk-provider-3',
  };
  gateway = new Launched({ data: join(parent, 'link'), env });
  ready = await gateway.ready();
});
afterAll(cleanUp);

test('a data folder that others could read is closed to them, with its content', async () => {
  expect(gateway.output).toContain('link was open to other users (mode 755) and has been closed to them');
  const open = [
    folder,
    ...readdirSync(folder).map(name => join(folder, name)),
    join(folder, 'nats/nats.conf'),
  ];
  expect(open.filter(path => statSync(path).mode & 0o077)).toEqual([]);
  expect((await chat(ready, 'sim-fast')).status).toBe(200);
});

test.skipIf(!hasProc)(
  'provider keys are in the worker alone, each secret only where it is needed (only where /proc is)',
  () => {
    const environ = (name: string) => {
      const { pid } = ready.processes.find(process => process.name === name) as { pid: number };
      return readFileSync(`/proc/${pid}/environ`, 'utf8');
    };
    for (const { name } of ready.processes) {
      expect([name, environ(name).includes('sk-provider-')]).toEqual([name, name === 'worker']);
      expect([name, environ(name).includes(ready.adminToken)]).toEqual([name, name === 'control']);
      expect([name, environ(name).includes(ready.token)]).toEqual([name, name === 'control']);
      const user = { front: 'front', control: 'control', worker: 'worker-default' }[name];
      const users = environ(name).match(/(?<=nats:\/\/)[^:]+/g) ?? [];
      expect([name, users]).toEqual([name, user ? [user] : []]);
      expect([name, environ(name).includes(ready.natsUrl)]).toEqual([name, name === 'control']);
    }
    expect(
      environ('worker')
        .match(/sk-provider-\d/g)
        ?.sort(),
    ).toEqual([1, 2, 3].map(i => `sk-provider-${i}`));
  },
);

test("the launcher's NATS refuses connections without a password", async () => {
  const { hostname, port } = new URL(ready.natsUrl);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.write('CONNECT {"verbose":false}\r\nSUB gateway.v1.call.> 1\r\nPING\r\n');
  expect(await text(socket)).toMatch(/"auth_required":true.*-ERR 'Authorization Violation'/s);
});

test('the output contains no secret but the first token', () => {
  expect(gateway.output).toContain(ready.token);
  expect(gateway.output).not.toContain(new URL(ready.natsUrl).password);
  expect(gateway.output).not.toContain(ready.adminToken);
});

test.skipIf(!isRoot)('no other user can read files or environments (only for root)', () => {
  const paths = [folder, join(folder, 'control'), join(folder, 'nats/nats.conf'), gateway.readyFile];
  if (hasProc) paths.push(...ready.processes.map(({ pid }) => `/proc/${pid}/environ`));
  for (const path of paths) {
    const { status, stdout } = spawnSync('cp', ['-r', path, '/dev/stdout'], { uid: nobody, gid: nobody });
    expect([path, status, stdout.length]).toEqual([path, 1, 0]);
  }
});
