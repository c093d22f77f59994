import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchOthers } from '../../bench/machine.ts';
import type { Attack } from './attack.ts';
import { AttackedGateway, type Figures } from './gateway.ts';
import { blockedMs } from './probe.ts';
import type { Sent } from './send.ts';

/** The longest time of `GET /healthz` in milliseconds, if nothing else uses the machine. The probes of the chart wait 5 s. */
const healthMs = 1_500;
/** The longest gap of a stream of ten chunks a second, in milliseconds, if nothing else uses the machine. */
const gapMs = 3_000;
const growth = 1.2;
/** The least bound for control, whose embedded database writes records of usage in its event loop, in milliseconds. */
const controlMs = 250;

/** Runs attacks beside a victim. `busyMs` is the longest time that an event loop may be blocked, in milliseconds. */
export function testAttacks(attacks: readonly Attack[], busyMs: number): void {
  let gateway: AttackedGateway;
  let attacker: Sent;
  beforeAll(async () => {
    gateway = await AttackedGateway.start();
    attacker = { baseUrl: gateway.ready.baseUrl, token: await gateway.token('attacker') };
    // Memory for code and caches of the first use does not count as growth.
    for (const attack of attacks) await attack.run(gateway, attacker).catch(() => {});
  }, 600_000);
  afterAll(() => gateway.stop());

  test.for(attacks)('other clients are not affected by $name', { timeout: 120_000 }, async attack => {
    const before = await gateway.figures();
    const others = watchOthers(gateway.pids);
    await attack.run(gateway, attacker);
    const after = await gateway.figures();
    const slower = 1 / Math.max(0.25, 1 - others());
    expect(after.victim.failures).toEqual([]);
    expect(after.victim.gapMs).toBeLessThan(gapMs * slower);
    expect(after.victim.healthMs).toBeLessThan(healthMs * slower);
    expect(blocked(after, busyMs)).toEqual([]);
    await expect.poll(async () => grown(before, await gateway.figures()), { timeout: 30_000 }).toEqual([]);
  });
}

/** The processes whose event loop was blocked for too long. */
function blocked({ processes }: Figures, mostMs: number): string[] {
  return Object.entries(processes).flatMap(([name, probed]) => {
    const ms = blockedMs(probed);
    return ms > (name === 'control' ? Math.max(mostMs, controlMs) : mostMs)
      ? [`${name} was blocked for ${Math.round(ms)} ms`]
      : [];
  });
}

/** The processes that hold more memory than before. */
function grown(before: Figures, after: Figures): string[] {
  return Object.entries(after.processes).flatMap(([name, { heap, external }]) => {
    const was = before.processes[name];
    const held = (was?.heap ?? 0) + (was?.external ?? 0);
    return heap + external > growth * held ? [`${name} grew from ${held} to ${heap + external} bytes`] : [];
  });
}
