import { setTimeout as pause } from 'node:timers/promises';
import { Fleet, type FleetProcess } from '../test/fleet/fleet.ts';
import { Child } from './child.ts';
import { costOf, inTurns, type PairedCosts } from './paired-costs.ts';
import { named } from './scenarios.ts';
import { wholeText } from './simulator.ts';

const warmUpSeconds = 2;
/** Time in which the first ingress becomes the one that counts, in milliseconds. */
const electedMs = 3_000;
/** Limits that no load reaches. */
const limits = { requestsPerMinute: 10_000_000, tokensPerMinute: 1_000_000_000, concurrency: 1_000 };

export interface LimitsOptions {
  /** The duration of a load. */
  seconds: number;
  rounds: number;
}

/** The cost of a request of a token with limits beside that of one without. */
export interface LimitsRow extends PairedCosts {
  /** `counts`: the ingress that serves is the one that counts; `asks`: it asks another. */
  ingress: 'counts' | 'asks';
  clients: number;
}

export interface LimitsFigures extends LimitsOptions {
  rows: readonly LimitsRow[];
}

/** Measures both tokens in turns, at the ingress that counts for all and at one that asks it, at one client and at 32. */
export async function measureLimits(options: LimitsOptions, signal: AbortSignal): Promise<LimitsFigures> {
  await using fleet = await Fleet.start();
  await using generator = new Child('bench/generator.ts', {}, 'inherit');
  await generator.message(signal);
  await pause(electedMs, undefined, { signal });
  await fleet.startFront();
  const { token } = await fleet.createToken({ limits });
  const tokens = { without: fleet.token, with: token };
  const [counts, asks] = fleet.fronts as [FleetProcess, FleetProcess];
  const pids = [fleet.nats, fleet.control, ...fleet.workers, ...fleet.fronts].map(({ pid }) => pid);
  const loads = [named('unary-1'), named('unary')].flatMap(scenario => [
    { ingress: 'counts' as const, origin: counts.url, scenario },
    { ingress: 'asks' as const, origin: asks.url, scenario },
  ]);
  const rows: LimitsRow[] = [];
  for (const load of loads) {
    const expected = await wholeText(fleet.simulator.url, load.scenario, signal);
    const job = { scenario: load.scenario, origin: load.origin, expected };
    const cost = (token: string, seconds = options.seconds) =>
      costOf(generator, { ...job, token, seconds }, pids, signal);
    for (const token of Object.values(tokens)) await cost(token, warmUpSeconds);
    const costs = await inTurns(options.rounds, which => cost(tokens[which]));
    rows.push({ ingress: load.ingress, clients: load.scenario.clients, ...costs });
  }
  return { ...options, rows };
}
