import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { chat } from './ask.ts';
import { cleanUp, Launched, newFolder } from './launched.ts';

afterEach(cleanUp);

/** Tokens created through the admin API and a request answered when the folder was written. */
const added = 'sk-S6BBMf4S_DOholAt9OeLCpThQDM2Z89-Feo6OgqlED4';
const revoked = 'sk-d-j-VXcNTBKZFXyemQQzfG16ORC1A0KqsXAk20fguCM';
const requestId = 'req_191cf43500d35a61b770c377';

/**
 * The data folder that the version of 2026-11-21 (commit 5105423) wrote, as it stopped. It holds no stored responses:
 * these expire.
 */
function earlierFolder(): string {
  const folder = newFolder();
  const archive = readFileSync(join(import.meta.dirname, 'fixtures', 'data-folder.tar.br'));
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: brotliDecompressSync(archive) });
  return folder;
}

test('a data folder of an earlier version keeps its tokens and its usage', async () => {
  const gateway = new Launched({ data: earlierFolder() });
  const ready = await gateway.ready();
  const status = async (token: string) => (await chat({ ...ready, token }, 'sim-fast')).status;
  expect(await status(ready.token)).toBe(200);
  expect(readFileSync(join(gateway.data, 'token'), 'utf8').trim()).toBe(ready.token);
  expect(await status(added)).toBe(200);
  expect(await status(revoked)).toBe(401);
  const usage = async () => {
    const answer = await fetch(`${ready.baseUrl}/api/v1/usage?limit=50`, {
      headers: { authorization: `Bearer ${ready.adminToken}` },
    });
    return ((await answer.json()) as { data: { requestId: string }[] }).data;
  };
  expect((await usage()).map(record => record.requestId)).toContain(requestId);
  await expect.poll(async () => (await usage()).length, { timeout: 20_000 }).toBe(4);
});
