import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cleanUp, Launched, type ReadyFile } from '../../launcher/launched.ts';
import type { Done, Gateway } from './done.ts';

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
  const { use } = (await import(join(here, 'use.ts'))) as { use(gateway: Gateway): Promise<Done> };
  const { listed, changed, answer, ...statuses } = await use(gateway);
  expect(listed).toContain('typed');
  expect(changed).toMatchObject({ name: 'renamed', tags: { team: 'search' } });
  expect(answer).not.toBe('');
  expect(statuses).toEqual({ changedSince: 412, afterRevocation: 401, unknownToken: 404 });
});

/** @throws Error with the output of the TypeScript compiler */
async function checkTypes(): Promise<void> {
  await run('tsc', ['-p', join(here, 'tsconfig.json')]).catch(error => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
}
