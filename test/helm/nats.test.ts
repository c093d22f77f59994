import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type Bus, connectBus } from '@model-gateway/bus';
import { freePort, natsServerPath } from '@model-gateway/bus/testing';
import { selfSigned } from '@model-gateway/service/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubernetesObject, render, trial, whyNoHelm } from './render.ts';

const name = 'NATS of the chart';

interface Files {
  config: Record<string, string>;
  passwords: Record<string, string>;
}

/** The files that the NATS pod mounts. */
function filesOf(objects: KubernetesObject[]): Files {
  const data = (kind: string, object: string): Record<string, string> =>
    objects.find(each => each.kind === kind && each.metadata.name === object)?.data;
  const passwords = Object.entries(data('Secret', 'mg-bus')).map(([user, text]) => [user, atob(text)]);
  return { config: data('ConfigMap', 'mg-nats'), passwords: Object.fromEntries(passwords) };
}

describe.skipIf(whyNoHelm)(whyNoHelm ? `${name} (skipped: ${whyNoHelm})` : name, () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-helm-nats-'));
  const path = [dirname(natsServerPath()), process.env.PATH].join(delimiter);
  let port: number;
  let server: ChildProcess | undefined;
  let first: Files;
  afterAll(async () => {
    if (server?.exitCode === null && server.kill()) await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * Writes the files where the chart mounts them, below a folder of the test, with ports on the loopback
   * interface.
   */
  function mount({ config, passwords }: Files): string {
    const here = (text: string) =>
      text
        .replaceAll(/\/(etc|run)\/nats/g, `${folder}/$1`)
        .replace('store_dir: /data', `store_dir: ${folder}/data`)
        .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
        .replace('0.0.0.0:8222', '127.0.0.1:-1');
    for (const place of ['etc/config', 'etc/passwords', 'run'])
      mkdirSync(join(folder, place), { recursive: true });
    for (const [file, text] of Object.entries(config))
      writeFileSync(join(folder, 'etc/config', file), here(text));
    for (const [file, text] of Object.entries(passwords))
      writeFileSync(join(folder, 'etc/passwords', file), text);
    return join(folder, 'etc/config/start.sh');
  }

  beforeAll(async () => {
    port = await freePort();
    first = filesOf(await render({ ...trial, nats: { replicas: 1 } }));
    const script = mount(first);
    const env = { PATH: path, POD_NAME: 'mg-nats-0' };
    server = spawn('sh', [script], { env, stdio: 'ignore' });
  });

  /** True once the user can connect; tries for half a minute. */
  async function connected(user: string, password: string): Promise<boolean> {
    const url = `nats://${user}:${password}@127.0.0.1:${port}`;
    const bus: Bus = await connectBus({ url, name: 'test' });
    await bus.close();
    return true;
  }

  test('a new pool gets its NATS user, and a changed password takes effect, without a restart', async () => {
    expect(await connected('worker-default', first.passwords['worker-default'] as string)).toBe(true);
    const more = filesOf(
      await render({ ...trial, nats: { replicas: 1 }, workers: [{ name: 'default' }, { name: 'gpu' }] }),
    );
    mount(more);
    expect(await connected('worker-gpu', more.passwords['worker-gpu'] as string)).toBe(true);
    expect(await connected('worker-default', more.passwords['worker-default'] as string)).toBe(true);
    expect(server?.exitCode).toBe(null);
  });

  test.each([
    ['three servers', {}],
    ['three servers with TLS', { tls: { secret: 'nats-tls', clientSecret: 'client-tls' } }],
  ])('nats-server accepts the configuration of %s', async (_, nats) => {
    const values = { database: { existingSecret: 'my-database' }, nats };
    const script = mount(filesOf(await render(values)));
    using certificate = selfSigned();
    mkdirSync(join(folder, 'etc/tls'), { recursive: true });
    cpSync(certificate.cert, join(folder, 'etc/tls/tls.crt'));
    cpSync(certificate.cert, join(folder, 'etc/tls/ca.crt'));
    cpSync(certificate.key, join(folder, 'etc/tls/tls.key'));
    // Replaces the server by one that checks its configuration and exits.
    const bin = join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'nats-server'), `#!/bin/sh\nexec ${natsServerPath()} "$@" -t\n`, { mode: 0o755 });
    const env = { PATH: [bin, process.env.PATH].join(delimiter), POD_NAME: 'mg-nats-0' };
    const { stdout, stderr } = spawnSync('sh', [script], { env, encoding: 'utf8' });
    expect(stdout + stderr).toContain('is valid');
  });
});
