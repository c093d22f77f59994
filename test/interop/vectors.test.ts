import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  embedders,
  rankers,
  startVectorUpstreams,
  type VectorUpstreams,
} from '../clients/vector-upstreams.ts';
import { type Found, findPython, runChecks } from './python.ts';

let found: Found;
let gateway: VectorUpstreams;

beforeAll(async () => {
  found = await findPython();
  if ('python' in found) gateway = await startVectorUpstreams();
}, 360_000);
afterAll(() => gateway?.stop());

test.for<[string, readonly string[]]>([
  ['embeddings', embedders],
  ['cohere', rankers],
])('%s of Python works with each upstream', { timeout: 90_000 }, async ([name, upstreams], context) => {
  if ('missing' in found) return context.skip(found.missing);
  const printed = await runChecks(found.python, name, {
    GATEWAY_URL: gateway.stack.url,
    GATEWAY_TOKEN: gateway.stack.token,
    GATEWAY_UPSTREAMS: upstreams.join(),
  });
  const lines = printed.trim().split('\n');
  expect(lines.filter(line => !line.startsWith('PASS '))).toEqual([]);
  expect(lines.length).toBeGreaterThan(4 * upstreams.length);
});
