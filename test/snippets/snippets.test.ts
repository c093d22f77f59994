import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Language, languages } from '../../services/console/src/pages/snippets/request.ts';
import { secretVariable } from '../../services/console/src/pages/snippets/shell.ts';
import { codeFor } from '../../services/console/src/pages/snippets/snippets.ts';
import { type Found, findPython } from '../interop/python.ts';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { type Case, casesAt, ownFiles } from './cases.ts';
import { Programs } from './programs.ts';

/** Programs run two at a time: most of their time is the start of their language. */
const atOnce = 2;

let gateway: Simulated;
let programs: Programs;
let python: Found;
let goMissing: string | undefined;

beforeAll(async () => {
  [gateway, python] = await Promise.all([startSimulated(catalogAt), findPython()]);
  programs = new Programs({ [secretVariable]: gateway.stack.token });
  goMissing = versionOf('go', ['version']) ?? goTooOld();
}, 480_000);
afterAll(async () => {
  programs?.remove();
  await gateway?.stop();
});

function catalogAt(url: string) {
  return {
    providers: [
      { name: 'simulator', kind: 'openai-compatible', baseUrl: `${url}/v1` },
      { name: 'ranker', kind: 'cohere', baseUrl: url, apiKey: { value: 'key' } },
    ],
    models: [
      { name: 'sim-*', targets: [{ provider: 'simulator', model: 'sim-*' }] },
      { name: 'ranker-*', targets: [{ provider: 'ranker', model: 'ranker-*' }] },
    ],
  };
}

/** Returns the reason why a program is missing. */
function versionOf(program: string, args: string[]): string | undefined {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return undefined;
  } catch {
    return `no ${program} is on this machine`;
  }
}

/** Returns the reason why the module of the SDKs cannot be compiled here; another Go is not to be downloaded. */
function goTooOld(): string | undefined {
  const needed = /^go (\S+)$/m.exec(readFileSync(new URL('go/go.mod', import.meta.url), 'utf8'))?.[1] ?? '';
  const [, found = ''] = /go(\d[\d.]*)/.exec(execFileSync('go', ['version'], { encoding: 'utf8' })) ?? [];
  const isOld = found.localeCompare(needed, 'en', { numeric: true }) < 0;
  return isOld ? `Go is ${found}; the SDKs need ${needed}` : undefined;
}

function missing(language: Language): string | undefined {
  if (language === 'python') return 'missing' in python ? python.missing : undefined;
  if (language === 'go') return goMissing;
  return language === 'curl' ? versionOf('curl', ['--version']) : undefined;
}

describe.each(languages)('code in %s', language => {
  test('runs as it is copied, in every format, and sends what the Playground sends', async context => {
    const why = missing(language);
    if (why) return context.skip(why);
    const cases = casesAt(gateway.stack.url).map(each => ({ each, folder: written(each, language) }));
    if (language === 'go') await programs.buildGo(cases.map(({ folder }) => folder));
    const sent = new Map<string, unknown>();
    for (const { each } of cases) sent.set(each.name, await sentAsItIs(each));
    const failures: string[] = [];
    const run = async () => {
      for (let next = cases.pop(); next; next = cases.pop()) {
        const failure = await failureOf(next.each, next.folder, language);
        if (failure) failures.push(`${next.each.name}: ${failure}`);
        else
          expect({ [next.each.name]: receivedFor(next.each) }).toEqual({
            [next.each.name]: sent.get(next.each.name),
          });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, run));
    expect(failures).toEqual([]);
  }, 1_600_000);
});

/** Runs a program; returns its errors, or what it printed if that is wrong. */
async function failureOf({ prints }: Case, folder: string, language: Language): Promise<string | undefined> {
  try {
    const printed = await programs.output(language, folder, 'python' in python ? python.python : '');
    return prints.test(printed) ? undefined : printed.slice(-1_500);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return (stderr || message).slice(-1_500);
  }
}

/** Sends a request as the Playground does, and returns what the upstream received. */
async function sentAsItIs(each: Case): Promise<unknown> {
  const { baseUrl, path, body, headers, format } = each.request;
  if (format === 'transcriptions') return undefined;
  const authorization = `Bearer ${gateway.stack.token}`;
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', authorization },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  expect([each.name, response.status]).toEqual([each.name, 200]);
  return receivedFor(each);
}

/** Returns the body of the last request for a case at the upstream; undefined for a form, and for a session. */
function receivedFor({ request: { model, format } }: Case): unknown {
  if (format === 'transcriptions' || format === 'realtime') return undefined;
  const bodies = gateway.simulator.requests.flatMap(({ body }) =>
    body.startsWith('{') ? [JSON.parse(body) as Record<string, unknown>] : [],
  );
  // Some SDKs ask for vectors in base64.
  return { ...bodies.findLast(body => body.model === model), encoding_format: undefined };
}

function written({ name, request }: Case, language: Language): string {
  const { code, files } = codeFor(language, request);
  expect(code).toContain(secretVariable);
  expect(code).not.toContain(gateway.stack.token);
  return programs.write(name, language, code, [...files, ...ownFiles]);
}
