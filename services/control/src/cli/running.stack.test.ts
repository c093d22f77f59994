import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminToken, type TestControl } from '../testing/control.ts';
import { eventually } from '../testing/eventually.ts';
import { passing } from '../testing/passing-time.ts';
import { RunningProcess } from '../testing/running-process.ts';
import { Stage } from '../testing/stage.ts';
import { gateway } from './gateway.ts';

let stage: Stage;
let clock: ManualClock;
let control: TestControl;
let process: RunningProcess;
beforeAll(async () => {
  stage = await Stage.set();
  clock = new ManualClock(Date.now());
  control = await stage.control({ GATEWAY_DATA: await stage.folder() }, { clock });
  process = new RunningProcess(stage.bus);
  await stage.bus.state.flush();
  // From now on control knows the process.
  await clock.advance(1_000);
});
afterAll(async () => {
  process.close();
  await stage.clear();
});

const outcomeOf = (line: string) =>
  gateway(line.split(' '), { GATEWAY_URL: control.url, GATEWAY_ADMIN_TOKEN: adminToken });
const command = async (line: string) => String((await outcomeOf(line)).printed);

/** Starts a command that follows. Resolves once changes reach it. */
async function following(line: string): Promise<AsyncIterable<Uint8Array>> {
  const { follows } = process;
  const { printed } = await outcomeOf(line);
  // NATS has read the subscription of control by then. Control asks again for those who follow already.
  await eventually(clock, async () => {
    await clock.advance(2_000);
    expect(process.follows).toBeGreaterThan(follows);
  });
  return printed as AsyncIterable<Uint8Array>;
}

/** Reads the lines of a command that follows: the first ones, or all until it ends. */
async function linesOf(
  parts: AsyncIterable<Uint8Array>,
  count = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const decoder = new TextDecoder();
  let text = '';
  const lines = () => text.split('\n').slice(0, -1);
  for await (const part of parts) {
    text += decoder.decode(part, { stream: true });
    if (lines().length >= count) break;
  }
  return lines();
}

test('request running lists the requests in flight', async () => {
  process.requests.clear();
  const { requestId } = process.add({ at: Date.now() - 12_340, ms: 12_340, project: 'lab' });
  process.add({ project: 'other' });
  const [head, ...rows] = (await command('request running --project lab')).split('\n');
  expect(head).toMatch(/^REQUEST +AGE +STATE +PROJECT +TOKEN +MODEL +TARGET +ATTEMPTS +CLIENT$/);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatch(new RegExp(`^${requestId} +12.3s +streaming +lab +one +fast +p/m +1 +192.0.2.1$`));
  const page = JSON.parse(await command('request running --limit 1 --json'));
  expect(page).toMatchObject({ data: [{ requestId }], total: 2, unanswered: [] });
  expect(await command('request running --limit 1')).toContain(`Further ones, of 2: --cursor ${page.next}`);
});

test('the CLI names processes that did not answer', async () => {
  const silent = new RunningProcess(stage.bus);
  silent.answersNothing = true;
  await stage.bus.state.flush();
  await expect
    .poll(() => passing(clock, command('request running'), 10))
    .toContain(`Without those at: ${silent.name}`);
  silent.close();
});

test('the CLI ends a request', async () => {
  const { requestId } = process.add();
  expect(await command(`request end ${requestId}`)).toBe(`Request ${requestId} is ended.`);
  expect(process.ended.at(-1)).toEqual([requestId, 'admin token']);
  await expect(command(`request end ${requestId}`)).rejects.toMatchObject({ exitCode: 4 });
});

test('request follow writes a line for each change', async () => {
  process.requests.clear();
  const request = process.add({ requestId: 'req_1' });
  const end = { status: 499, error: 'cancelled', endedBy: 'ann', usage: null };
  const follow = async (options: string) => {
    const parts = await following(`request follow${options}`);
    process.tell({ type: 'started', request }, { type: 'ended', request, end });
    return linesOf(parts, 2);
  };
  expect(await follow('')).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d started {2}req_1 default one fast p\/m streaming 0\.0s$/),
    expect.stringMatching(/^\d\d:\d\d:\d\d ended {4}req_1 default one fast p\/m 499 0\.0s by ann$/),
  ]);
  expect((await follow(' --json')).map(line => JSON.parse(line))).toMatchObject([
    { event: 'started', request: { requestId: 'req_1' }, end: null },
    { event: 'ended', end: { endedBy: 'ann' } },
  ]);
  expect(await follow(' --query [event,end.status]')).toEqual(['["started",null]', '["ended",499]']);
});

test('a follower ends without an error after the time that it asked for', async () => {
  const { printed } = await outcomeOf('request follow --seconds 1');
  expect(await passing(clock, linesOf(printed as AsyncIterable<Uint8Array>), 50)).toEqual([]);
});

test('a follower ends with an error when the gateway ends it', async () => {
  const parts = await following('request follow');
  await control.running.drain?.(new AbortController().signal);
  await expect(linesOf(parts)).rejects.toMatchObject({ exitCode: 5 });
});
