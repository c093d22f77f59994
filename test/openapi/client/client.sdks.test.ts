import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cleanUp, Launched, type ReadyFile } from '../../launcher/launched.ts';

const run = promisify(execFile);
const here = import.meta.dirname;

let gateway: ReadyFile;
beforeAll(async () => {
  gateway = await new Launched().ready();
});
afterAll(cleanUp);

test('a client is generated from the document, is type-checked, and works with the gateway', async () => {
  mkdirSync(join(here, 'generated'), { recursive: true });
  writeFileSync(
    join(here, 'generated/schema.ts'),
    astToString(await openapiTS(new URL('/openapi.json', gateway.baseUrl))),
  );
  await checkTypes();
  const { use } = await import(join(here, 'use.ts'));
  expect(await use(gateway.baseUrl, gateway.adminToken)).toEqual({
    listed: expect.arrayContaining(['typed']),
    changed: expect.objectContaining({ name: 'renamed', tags: { team: 'search' } }),
    answer: expect.stringMatching(/./),
    // A change with an old ETag, a chat with a revoked token, and a change of that token.
    statuses: [412, 401, 404],
  });
});

/** @throws Error with the output of the TypeScript compiler */
async function checkTypes(): Promise<void> {
  await run('tsc', ['-p', join(here, 'tsconfig.json')]).catch(error => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
}
