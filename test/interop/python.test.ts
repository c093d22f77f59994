import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FourUpstreams, startFourUpstreams, upstreams } from '../clients/four-upstreams.ts';
import { type Found, findPython, runChecks } from './python.ts';

let found: Found;
let gateway: FourUpstreams;

beforeAll(async () => {
  found = await findPython();
  if ('python' in found) gateway = await startFourUpstreams();
}, 480_000);
afterAll(() => gateway?.stop());

test.for(['openai', 'anthropic', 'google-genai'])(
  'the Python client %s works with an upstream of each format',
  async (name, context) => {
    const passed = await runChecks(context, found, name, () => ({ ...gateway.stack, upstreams }));
    expect(passed).toBeGreaterThan(4 * upstreams.length);
  },
);
