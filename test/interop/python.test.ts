import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FourUpstreams, startFourUpstreams, upstreams } from '../clients/four-upstreams.ts';
import { type Found, findPython, runChecks } from './python.ts';

let found: Found;
let gateway: FourUpstreams;

beforeAll(async () => {
  found = await findPython();
  if ('python' in found) gateway = await startFourUpstreams();
}, 360_000);
afterAll(() => gateway?.stop());

test.for(['openai', 'anthropic', 'google-genai'])(
  '%s of Python works with an upstream of each format',
  { timeout: 90_000 },
  async (name, context) => {
    if ('missing' in found) return context.skip(found.missing);
    const printed = await runChecks(found.python, name, {
      GATEWAY_URL: gateway.stack.url,
      GATEWAY_TOKEN: gateway.stack.token,
      GATEWAY_UPSTREAMS: upstreams.join(),
    });
    const lines = printed.trim().split('\n');
    expect(lines.filter(line => !line.startsWith('PASS '))).toEqual([]);
    expect(lines.length).toBeGreaterThan(4 * upstreams.length);
  },
);
