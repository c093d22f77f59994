import { ManualClock } from '@model-gateway/clock/testing';
import { describe, expect, test } from 'vitest';
import { heartbeatMs, Life, Lookout, lookMs, lostMs, missedMs, silentMs } from './liveness.ts';

describe('a life', () => {
  test('gets no new work after 3 s of silence, and is lost after 20 s of it', () => {
    const life = new Life(0);
    const states = [0, silentMs - 1, silentMs, 15_000, lostMs - 1, lostMs].map(now => [
      life.mayWork(now),
      life.isLost(now),
    ]);
    expect(states).toEqual([
      [true, false],
      [true, false],
      [false, false],
      [false, false],
      [false, false],
      [false, true],
    ]);
    life.heard(lostMs);
    expect([life.mayWork(lostMs), life.isLost(lostMs)]).toEqual([true, false]);
  });

  test('whose connection is closed gets no new work at once, and is lost unless it is heard again', () => {
    const life = new Life(0);
    expect(life.missed(100)).toBe(false);
    expect([life.mayWork(100), life.isLost(100), life.needsProbe(100)]).toEqual([false, false, true]);
    life.heard(200);
    expect([life.mayWork(200), life.needsProbe(200)]).toEqual([true, false]);
    expect(life.missed(300)).toBe(false);
    expect(life.missed(300 + missedMs)).toBe(true);
    // It is reported once.
    expect(life.missed(400 + missedMs)).toBe(false);
    expect([life.isLost(300 + missedMs), life.needsProbe(300 + missedMs)]).toEqual([true, false]);
  });

  test('is in doubt from an overdue heartbeat until NATS had time to deny its connection', () => {
    const life = new Life(0);
    expect([1_000, 1_200, silentMs - 1, silentMs].map(now => life.isInDoubt(now))).toEqual([
      ...[false, true, true, false],
    ]);
    life.missed(silentMs);
    expect(life.isInDoubt(silentMs)).toBe(true);
    life.missed(silentMs + missedMs);
    expect(life.isInDoubt(silentMs + missedMs)).toBe(false);
  });
});

/** A process that looks after the lives of others by a clock. */
class Watching {
  readonly clock = new ManualClock();
  readonly lives = new Map([
    ['paused', new Life(this.clock.monotonic())],
    ['killed', new Life(this.clock.monotonic())],
  ]);
  readonly probed: string[] = [];
  readonly gone: string[] = [];
  /** The results of its looks. */
  readonly looks: boolean[] = [];

  constructor() {
    const { clock } = this;
    const lookout = new Lookout({
      now: () => clock.monotonic(),
      probe: (id, missed) => {
        this.probed.push(id);
        // NATS has the connection of a process that is paused.
        if (id === 'killed') missed();
      },
      gone: id => this.gone.push(id),
    });
    clock.setInterval(() => this.looks.push(lookout.look(this.lives)), lookMs);
  }

  lost(id: string): boolean | undefined {
    return this.lives.get(id)?.isLost(this.clock.monotonic());
  }
}

describe('a lookout', () => {
  test('finds a closed connection within 3 s of the last heartbeat, and silence after 20 s', async () => {
    const { clock, gone, lives, probed } = new Watching();
    await clock.advance(heartbeatMs);
    expect(probed).toEqual([]);
    await clock.advance(3_000 - heartbeatMs);
    expect(gone).toEqual(['killed']);
    const paused = lives.get('paused') as Life;
    await clock.advance(15_000 - 3_000);
    expect([paused.mayWork(clock.monotonic()), paused.isLost(clock.monotonic())]).toEqual([false, false]);
    await clock.advance(5_000);
    expect(paused.isLost(clock.monotonic())).toBe(true);
    expect(gone).toEqual(['killed']);
  });

  test('of a process that stood still itself judges nobody by that time', async () => {
    const watching = new Watching();
    await watching.clock.advance(heartbeatMs);
    watching.clock.jump(60_000);
    expect(watching.looks.at(-1)).toBe(false);
    expect([watching.lost('paused'), watching.lost('killed'), watching.probed]).toEqual([false, false, []]);
    await watching.clock.advance(3_000);
    expect(watching.looks.at(-1)).toBe(true);
    expect(watching.gone).toEqual(['killed']);
    expect(watching.lost('paused')).toBe(false);
    await watching.clock.advance(lostMs);
    expect(watching.lost('paused')).toBe(true);
  });

  test('of a process that is always late judges all the same', () => {
    const watching = new Watching();
    for (let i = 0; i < 20; i++) watching.clock.jump(2_500);
    expect(watching.looks.slice(0, 4)).toEqual([false, true, false, true]);
    expect([watching.gone, watching.lost('paused')]).toEqual([['killed'], true]);
  });
});
