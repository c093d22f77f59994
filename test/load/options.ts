import { parseArgs } from 'node:util';
import type { RealtimeOptions } from './realtime.ts';
import { type Scenario, scenarios } from './scenarios.ts';

export interface Options {
  /** The period in which new requests begin, in one measurement. */
  seconds: number;
  /** The warm-up before each measurement, which does not count. */
  warmUpSeconds: number;
  rounds: number;
  scenarios: readonly Scenario[];
  /** The number of revocations; 0 if they are not measured. */
  revocations: number;
  /** Realtime sessions; undefined if they are not measured. */
  realtime: Pick<RealtimeOptions, 'idle' | 'active' | 'settleMs'> | undefined;
  /** True if attacks are measured. */
  hostile: boolean;
  json: boolean;
}

/** Measured separately, so they are not among the scenarios. */
const revocation = 'revocation';
const realtime = 'realtime';
const hostile = 'hostile';
const own = [revocation, realtime, hostile];
const revocations = 100;
const sessions = { idle: 2_000, active: 200, settleMs: 5_000 };
const names = [...scenarios.map(({ name }) => name), ...own];

export const usage = `npm run bench -- [--seconds 5] [--warm-up 2] [--rounds 3] [--scenario name]... [--json]
Scenarios: ${names.join(', ')}; all of them unless said.`;

/** Parses the command line; throws if it is invalid. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '5' },
      'warm-up': { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      scenario: { type: 'string', multiple: true, default: names },
      json: { type: 'boolean', default: false },
    },
  });
  const wanted = values.scenario.flatMap(names => names.split(','));
  return {
    seconds: amount('seconds', values.seconds, 0.1),
    warmUpSeconds: amount('warm-up', values['warm-up'], 0),
    rounds: Math.floor(amount('rounds', values.rounds, 1)),
    scenarios: wanted.filter(name => !own.includes(name)).map(named),
    revocations: wanted.includes(revocation) ? revocations : 0,
    realtime: wanted.includes(realtime) ? sessions : undefined,
    hostile: wanted.includes(hostile),
    json: values.json,
  };
}

function amount(flag: string, text: string, least: number): number {
  const value = Number(text);
  if (value >= least && value <= 3_600) return value;
  throw new Error(`--${flag}: a number from ${least} to 3600 was expected, not '${text}'`);
}

function named(name: string): Scenario {
  const found = scenarios.find(scenario => scenario.name === name);
  if (found) return found;
  throw new Error(`--scenario: there is no '${name}'`);
}
