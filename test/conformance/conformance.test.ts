import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { formats } from '../stack/formats.ts';
import { expected, type Shape } from './expected.ts';
import { faults, ruleOf } from './faults.ts';
import { type FaultyGateway, startFaultyGateway } from './gateway.ts';
import { see } from './see.ts';
import { type Sighting, withTable } from './table.ts';

let gateway: FaultyGateway;
beforeAll(async () => {
  gateway = await startFaultyGateway();
});
afterAll(() => gateway?.stop());

const ways = formats.flatMap(client =>
  [false, true].flatMap(stream => formats.map(upstream => ({ client, stream, upstream }))),
);
const sightings = new Map<string, Sighting[]>(Object.keys(faults).map(fault => [fault, []]));

/** The model that has a fault. Answers in writes of one byte are short, as they take much CPU time; the grid has longer ones. */
const modelOf = (fault: string) => (fault === 'fault-bytes' ? `${fault}-t1` : fault);

function look(fault: string, way: (typeof ways)[number]): Promise<Sighting> {
  const { client: format, upstream, stream } = way;
  const model = `${upstream}/${modelOf(fault)}`;
  return see({ url: gateway.url, token: gateway.token, format, model, stream }).then(seen => ({
    ...way,
    seen,
  }));
}

/** Runs all ways at once. */
async function lookEveryWay(fault: string): Promise<Sighting[]> {
  if (fault === 'fault-line') return lookAtLargeAnswers(fault);
  const looks = Promise.all(ways.map(way => look(fault, way)));
  if (endless.has(fault)) await passTimeouts(fault, looks);
  return looks;
}

/**
 * Runs the ways of answers so large that they take much CPU time, and together would exceed the memory: of each format, what
 * is passed on unchanged and what is translated.
 */
async function lookAtLargeAnswers(fault: string): Promise<Sighting[]> {
  const seen: Sighting[] = [];
  for (const [i, client] of formats.entries()) {
    const upstreams = [client, formats[(i + 1) % formats.length]];
    for (const way of ways)
      if (way.client === client && upstreams.includes(way.upstream)) seen.push(await look(fault, way));
  }
  return seen;
}

/** Upstreams that never end their answer. */
const endless = new Set(['fault-hang', 'fault-stall']);

/** Lets time pass until every answer has ended, once all requests are at the upstream. */
async function passTimeouts(fault: string, looks: Promise<unknown>): Promise<void> {
  const arrived = () =>
    gateway.simulator.requests.filter(({ path, body }) => (path + body).includes(fault)).length;
  await vi.waitFor(() => expect(arrived()).toBe(ways.length));
  let ended = false;
  void looks.finally(() => (ended = true));
  await gateway.time.until(() => ended);
}

function check(fault: string, { seen, ...way }: Sighting): void {
  const { error, within = false, opened, retryAfter = null } = ruleOf(fault, way);
  const where = `${fault} at ${way.upstream}, for ${way.client}${way.stream ? ', streamed' : ''}`;
  if (!error) {
    expect(seen, where).toMatchObject({ status: 200, ended: true, text: expect.stringMatching(/\w{3}/) });
    expect(seen.error, where).toBeUndefined();
    return;
  }
  const { status, name, within: inStream = name } = expected[way.client][error] as Shape;
  const begun = way.stream && (within || (opened && seen.status === 200));
  expect(seen, where).toMatchObject({ status: begun ? 200 : status, ended: false, retryAfter });
  expect(seen.error?.name, where).toBe(begun ? inStream : name);
  expect(seen.text !== '', where).toBe(way.stream && within);
  expect(seen.error?.message, where).not.toMatch(/127\.0\.0\.1|\bat .*:\d+/);
}

describe('a fault of an upstream reaches the client as the matching error', () => {
  test.for(Object.keys(faults))(
    'the fault %s reaches clients of every format as the matching error',
    async fault => {
      const seen = await lookEveryWay(fault);
      sightings.set(fault, seen);
      for (const sighting of seen) check(fault, sighting);
    },
  );
});

test('docs/translation.md shows the observed errors', () => {
  const path = new URL('../../docs/translation.md', import.meta.url);
  const document = readFileSync(path, 'utf8');
  const now = withTable(document, sightings);
  if (process.env.UPDATE_DOCS === '1') writeFileSync(path, now);
  else expect(document, 'run this suite with UPDATE_DOCS=1').toBe(now);
});
