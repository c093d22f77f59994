import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Found, findPython } from '../../interop/python.ts';
import { cleanUp, Launched, type ReadyFile } from '../../launcher/launched.ts';
import { allOperations, type Document } from '../operations.ts';
import { type Caller, schemathesis } from './run.ts';

/** `GATEWAY_SCHEMATHESIS_EXAMPLES=50` tries that many examples of each operation, and the edges of every field. */
const wanted = process.env.GATEWAY_SCHEMATHESIS_EXAMPLES;
const examples = Number(wanted ?? 2);
const ms = wanted ? 1_800_000 : 900_000;

vi.setConfig({ testTimeout: 2 * ms, hookTimeout: 480_000 });

let found: Found;
let gateway: ReadyFile;
let document: string;

beforeAll(async () => {
  found = await findPython(join(import.meta.dirname, 'requirements.txt'));
  if ('missing' in found) return;
  gateway = await new Launched().ready();
  document = await readDocument();
});
afterAll(cleanUp);
beforeEach(context => {
  if ('missing' in found) context.skip(found.missing);
});

/** Operations that a caller may call with any request, which shows that the credential was sent. */
const answeredTo: Record<Caller, string[]> = {
  client: ['GET /v1/models', 'POST /v1/chat/completions'],
  admin: ['GET /api/v1/projects', 'GET /api/v1/session'],
};

// The admin may change what the client has, so it comes last.
test.each<Caller>(['client', 'admin'])(
  'no answer to %s is an error of the gateway, or outside its schema',
  async caller => {
    const { interactions, failures } = await schemathesis(caller, {
      ...{ python: 'python' in found ? found.python : '', baseUrl: gateway.baseUrl, document, examples, ms },
      token: caller === 'client' ? gateway.token : gateway.adminToken,
      coverage: Boolean(wanted),
    });
    expect(failures).toBeUndefined();
    expect(interactions.length).toBeGreaterThan(60);
    const answered = interactions.filter(({ status }) => status < 300).map(({ label }) => label);
    expect(answered).toEqual(expect.arrayContaining(answeredTo[caller]));
    expect(interactions.filter(({ status }) => status === 500)).toEqual([]);
  },
);

/**
 * Writes the document to a file without the schemas of event streams: they are of the whole stream, and Schemathesis takes them for
 * those of single events, as in OpenAPI 3.2.
 */
async function readDocument(): Promise<string> {
  const answer = await fetch(`${gateway.baseUrl}/openapi.json`);
  const read = (await answer.json()) as Document;
  for (const { operation } of allOperations(read))
    for (const { content = {} } of Object.values(operation.responses))
      if (content['text/event-stream']) content['text/event-stream'] = {};
  const file = join(mkdtempSync(join(tmpdir(), 'openapi-')), 'openapi.json');
  writeFileSync(file, JSON.stringify(read));
  return file;
}
