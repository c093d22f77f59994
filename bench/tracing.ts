import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fleet, type FleetProcess } from '../test/fleet/fleet.ts';
import { Child } from './child.ts';
import { costOf, inTurns, type PairedCosts } from './paired-costs.ts';
import { named } from './scenarios.ts';
import { wholeText } from './simulator.ts';

const warmUpSeconds = 2;

export interface TracingOptions {
  /** The duration of a load. */
  seconds: number;
  rounds: number;
}

/** The cost of a request without traces beside that with traces of a part of the requests. */
export interface TracingRow extends PairedCosts {
  scenario: string;
  /** The part of the requests that is traced. */
  sampled: number;
}

export interface TracingFigures extends TracingOptions {
  rows: readonly TracingRow[];
}

/** Measures a gateway without traces and one with traces in turns, for whole answers and streams. */
export async function measureTracing(options: TracingOptions, signal: AbortSignal): Promise<TracingFigures> {
  const collector = await startCollector();
  await using generator = new Child('bench/generator.ts', {}, 'inherit');
  await generator.message(signal);
  try {
    const rows: TracingRow[] = [];
    for (const sampled of [1, 0.01])
      rows.push(...(await rowsOf(sampled, collector.url, generator, options, signal)));
    return { ...options, rows };
  } finally {
    collector.stop();
  }
}

async function rowsOf(
  sampled: number,
  collector: string,
  generator: Child,
  options: TracingOptions,
  signal: AbortSignal,
): Promise<TracingRow[]> {
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: String(sampled),
  };
  await using without = await Fleet.start();
  await using with_ = await Fleet.start({ env: traced });
  const fleets = { without, with: with_ };
  const rows: TracingRow[] = [];
  for (const scenario of [named('unary'), named('stream')]) {
    const expected = await wholeText(without.simulator.url, scenario, signal);
    const cost = (which: 'without' | 'with', seconds = options.seconds) => {
      const { fronts, workers, token } = fleets[which];
      const [{ url: origin }] = fronts as [FleetProcess];
      const pids = [...fronts, ...workers].map(({ pid }) => pid);
      return costOf(generator, { scenario, origin, expected, token, seconds }, pids, signal);
    };
    for (const which of ['without', 'with'] as const) await cost(which, warmUpSeconds);
    rows.push({ scenario: scenario.name, sampled, ...(await inTurns(options.rounds, cost)) });
  }
  return rows;
}

/** Starts a collector that takes whatever it gets. */
async function startCollector(): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
