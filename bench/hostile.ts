import { attacks } from '../test/hostile/attacks.ts';
import { AttackedGateway } from '../test/hostile/gateway.ts';
import { blockedMs } from '../test/hostile/probe.ts';

/** Figures of one attack in milliseconds, each the largest of all rounds. */
export interface AttackFigures {
  name: string;
  /** The longest time that each process's event loop was blocked. */
  blockedMs: Record<string, number>;
  /** The longest gap in the victim's stream, its slowest response and the slowest `GET /healthz`. */
  gapMs: number;
  answerMs: number;
  healthMs: number;
  /** Unexpected answers to the attack, and the victim's failures. */
  failures: string[];
}

/** Runs every attack once to warm up, and then in rounds. */
export async function measureHostile(rounds: number, signal: AbortSignal): Promise<AttackFigures[]> {
  const gateway = await AttackedGateway.start();
  try {
    const attacker = { baseUrl: gateway.ready.baseUrl, token: await gateway.token('attacker') };
    for (const attack of attacks) await attack.run(gateway, attacker).catch(() => {});
    const all = new Map<string, AttackFigures>();
    for (let round = 0; round < rounds; round++) {
      for (const attack of attacks) {
        signal.throwIfAborted();
        await gateway.figures();
        const failure = await attack.run(gateway, attacker).then(
          () => [],
          (error: Error) => [error.message],
        );
        const { victim, processes } = await gateway.figures();
        const blocked = Object.entries(processes).map(([name, probed]) => [name, blockedMs(probed)] as const);
        const figures = {
          name: attack.name,
          blockedMs: Object.fromEntries(blocked),
          gapMs: victim.gapMs,
          answerMs: victim.answerMs,
          healthMs: victim.healthMs,
          failures: [...failure, ...victim.failures],
        };
        all.set(attack.name, worse(all.get(attack.name), figures));
      }
    }
    return [...all.values()];
  } finally {
    await gateway.stop();
  }
}

function worse(before: AttackFigures | undefined, now: AttackFigures): AttackFigures {
  if (!before) return now;
  const blocked = Object.entries(now.blockedMs).map(([name, ms]) => [
    name,
    Math.max(ms, before.blockedMs[name] ?? 0),
  ]);
  return {
    name: now.name,
    blockedMs: Object.fromEntries(blocked),
    gapMs: Math.max(before.gapMs, now.gapMs),
    answerMs: Math.max(before.answerMs, now.answerMs),
    healthMs: Math.max(before.healthMs, now.healthMs),
    failures: [...before.failures, ...now.failures],
  };
}
