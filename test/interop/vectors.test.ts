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
}, 480_000);
afterAll(() => gateway?.stop());

test.for<[string, readonly string[]]>([
  ['embeddings', embedders],
  ['cohere', rankers],
])('the Python client %s works with each upstream', async ([name, upstreams], context) => {
  const passed = await runChecks(context, found, name, () => ({ ...gateway.stack, upstreams }));
  expect(passed).toBeGreaterThan(4 * upstreams.length);
});
