import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asksForRole, type EndpointName, endpoints, permissions } from '@model-gateway/admin-api';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Found, findPython } from '../../interop/python.ts';
import { cleanUp, Launched, type ReadyFile } from '../../launcher/launched.ts';
import { allOperations, type Document } from '../operations.ts';
import { type Caller, makeCallers, projects } from './callers.ts';
import { type Interaction, schemathesis } from './run.ts';

/** `GATEWAY_SCHEMATHESIS_EXAMPLES=50` tries that many examples of each operation, the edges of every field, and every role. */
const wanted = process.env.GATEWAY_SCHEMATHESIS_EXAMPLES;
const examples = Number(wanted ?? 2);
const ms = wanted ? 1_800_000 : 900_000;

vi.setConfig({ testTimeout: 2 * ms, hookTimeout: 480_000 });

let found: Found;
let gateway: ReadyFile;
let document: string;
let callers: Caller[] = [];

beforeAll(async () => {
  found = await findPython(join(import.meta.dirname, 'requirements.txt'));
  if ('missing' in found) return;
  gateway = await new Launched().ready();
  document = await readDocument();
  callers = await makeCallers(gateway);
});
afterAll(cleanUp);
beforeEach(context => {
  if ('missing' in found) context.skip(found.missing);
});

/** Every endpoint by method and path, as Schemathesis names its operation. */
const byLabel = new Map(
  (Object.keys(endpoints) as EndpointName[]).map(name => {
    const { method, path } = endpoints[name];
    return [`${method.toUpperCase()} ${path}`, name];
  }),
);

/** Tests of the roles call every endpoint as each role and as nobody, so they call here only if more examples are wanted. */
const roles = wanted ? ['nobody', 'viewer', 'member', 'manager'] : [];

// They run at once. The admin may change what the others have, so it comes last.
test.concurrent.each(['client', ...roles])(
  'no answer to %s is an error of the gateway, outside its schema, or forbidden by the table of roles',
  name => check(name),
);

test('no answer to admin is an error of the gateway, or outside its schema', () => check('admin'));

async function check(name: string): Promise<void> {
  const caller = callers.find(one => one.name === name) as Caller;
  const python = 'python' in found ? found.python : '';
  const options = { python, baseUrl: gateway.baseUrl, document, examples, coverage: Boolean(wanted), ms };
  const { interactions, failures } = await schemathesis(caller, options);
  expect(failures).toBeUndefined();
  expect(interactions.length).toBeGreaterThan(60);
  expect(answered(interactions)).toEqual(expect.arrayContaining(answeredTo[name] ?? []));
  expect(interactions.filter(({ status }) => status === 500)).toEqual([]);
  expect(interactions.filter(one => isForbidden(caller, one))).toEqual([]);
  if (caller.role !== 'admin')
    expect(interactions.filter(({ body }) => body.includes(projects.hidden))).toEqual([]);
}

/** Operations that a caller may call with any request, which shows that the credential was sent. */
const answeredTo: Record<string, string[]> = {
  client: ['GET /v1/models', 'POST /v1/chat/completions'],
  viewer: ['GET /api/v1/projects', 'GET /api/v1/session'],
  member: ['GET /api/v1/projects', 'GET /api/v1/session'],
  manager: ['GET /api/v1/projects', 'GET /api/v1/session'],
  admin: ['GET /api/v1/projects', 'GET /api/v1/session'],
};

function answered(interactions: readonly Interaction[]): string[] {
  return [...new Set(interactions.flatMap(({ status, label }) => (status < 300 ? [label] : [])))];
}

/** True for an answer other than an error from an endpoint that the caller's role may not call. */
function isForbidden({ role }: Caller, { label, status }: Interaction): boolean {
  const name = byLabel.get(label);
  if (status >= 400 || role === 'admin' || !name || !asksForRole(name)) return false;
  return role === undefined || permissions[name][role] === undefined;
}

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
