import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { percentiles } from '../../bench/figures.ts';
import { load, type Seen } from '../../bench/load.ts';
import { paths, type Scenario } from '../../bench/scenarios.ts';
import { answerText, ask, questionBody, questionHeaders } from './clients.ts';
import { Fleet, type FleetProcess, residentBytes } from './fleet.ts';

const mb = 1_000_000;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ fronts: 2, workers: 2 });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

/** Requests streams from one front with several clients, and checks the text of each. */
async function streams(
  { url: origin }: FleetProcess,
  { model, clients, chunks, seconds }: Pick<Scenario, 'model' | 'clients' | 'chunks'> & { seconds: number },
): Promise<Seen> {
  const expected = await answerText(await ask(fleet.simulator.url, 'any', { model: `sim-t${chunks}` }));
  const scenario = { name: model, title: '', client: 'chat' as const, model, clients, chunks };
  return load({ scenario, origin, token: fleet.token, seconds, expected });
}

test('a client that hardly reads slows no other client and takes little memory', async () => {
  const [front] = fleet.fronts as [FleetProcess];
  const others = () => streams(front, { model: 'sim-t20-i5ms', clients: 4, chunks: 20, seconds: 2 });
  await others();
  const held = [front, ...fleet.workers];
  const bytesBefore = held.map(residentBytes);
  const [without, beside]: [Seen[], Seen[]] = [[], []];
  // In turns, so that other load on the machine is in both.
  for (let turn = 0; turn < 3; turn++) {
    without.push(await others());
    using slow = await readSlowly(front);
    beside.push(await others());
    for (const [i, each] of held.entries())
      expect(residentBytes(each) - (bytesBefore[i] ?? 0)).toBeLessThan(50 * mb);
    expect(slow.ended).toBe(false);
    expect(slow.bytes).toBeGreaterThan(0);
  }
  for (const what of ['firstMs', 'endMs'] as const) {
    const [as, is] = [without, beside].map(turns => percentiles(turns.flatMap(seen => seen[what])));
    expect(is?.p50).toBeLessThan(2 * (as?.p50 ?? 0) + 20);
    expect(is?.p99).toBeLessThan(3 * (as?.p99 ?? 0) + 100);
  }
});

/** Requests a stream of some 200 MB, and reads 1 KB of it a second. */
async function readSlowly({ url }: FleetProcess) {
  const sent = request(url + paths.chat, { method: 'POST', headers: questionHeaders(fleet.token) });
  sent.end(questionBody({ model: 'sim-t1000000', stream: true }));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const seen = { bytes: 0, ended: false };
  answer.on('end', () => {
    seen.ended = true;
  });
  answer.on('error', () => {});
  const timer = setInterval(() => {
    seen.bytes += answer.read(1_024)?.length ?? 0;
  }, 1_000);
  // By then, every buffer on the stream's way is full.
  await sleep(1_500);
  return Object.assign(seen, {
    [Symbol.dispose]() {
      clearInterval(timer);
      sent.destroy();
    },
  });
}
