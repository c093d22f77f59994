import { parseArgs } from 'node:util';
import type { IdleStreamOptions } from './idle-streams.ts';
import type { RealtimeOptions } from './realtime.ts';
import { named, type Scenario, scenarios } from './scenarios.ts';

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
  /** Streams without a chunk; undefined if they are not measured. */
  idleStreams: IdleStreamOptions | undefined;
  /** True if one core is compared with two. */
  cores: boolean;
  /** True if attacks are measured. */
  hostile: boolean;
  /** True if a token with limits is compared with one without. */
  limits: boolean;
  /** True if a gateway with traces is compared with one without. */
  tracing: boolean;
  /** The number of tokens that an ingress starts with; 0 if that is not measured. */
  tokens: number;
  /** A JSON file of other gateways that get the same loads; undefined if there are none. */
  others: string | undefined;
  /** The simulator's port, for the configuration of other gateways; 0 for any free port. */
  simulatorPort: number;
  /** The pause after the loads before memory is measured. */
  settleSeconds: number;
  /** The file for a page with plots; undefined if none is written. */
  page: string | undefined;
  json: boolean;
}

/** Measured separately, so they are not among the scenarios. */
const revocation = 'revocation';
const realtime = 'realtime';
const idleStreams = 'idle-streams';
const cores = 'cores';
const hostile = 'hostile';
const limits = 'limits';
const tracing = 'tracing';
const tokens = 'tokens';
const own = [revocation, realtime, idleStreams, cores, hostile, limits, tracing, tokens];
const manyTokens = 100_000;
const revocations = 100;
/** Processes free memory after half a minute of idleness. */
const idle = { streams: 10_000, settleMs: 50_000 };
const sessions = { idle: 2_000, active: 200, settleMs: 5_000 };
const names = [...scenarios.map(({ name }) => name), ...own];

export const usage = `npm run bench -- [--seconds 5] [--warm-up 2] [--rounds 3] [--scenario name]... [--json]
  [--others gateways.json] [--simulator-port 0] [--settle 0] [--page page.html]
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
      others: { type: 'string' },
      'simulator-port': { type: 'string', default: '0' },
      settle: { type: 'string', default: '0' },
      page: { type: 'string' },
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
    idleStreams: wanted.includes(idleStreams) ? idle : undefined,
    cores: wanted.includes(cores),
    hostile: wanted.includes(hostile),
    limits: wanted.includes(limits),
    tracing: wanted.includes(tracing),
    tokens: wanted.includes(tokens) ? manyTokens : 0,
    others: values.others,
    simulatorPort: amount('simulator-port', values['simulator-port'], 0, 65_535),
    settleSeconds: amount('settle', values.settle, 0),
    page: values.page,
    json: values.json,
  };
}

function amount(flag: string, text: string, least: number, most = 3_600): number {
  const value = Number(text);
  if (value >= least && value <= most) return value;
  throw new Error(`--${flag}: a number from ${least} to ${most} was expected, not '${text}'`);
}
