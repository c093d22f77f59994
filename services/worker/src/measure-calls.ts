import type { Server } from '@model-gateway/bus';
import type { Catalog } from '@model-gateway/catalog';
import {
  Children,
  countedElsewhere,
  counter,
  gauge,
  histogram,
  otherName,
  type Registry,
} from '@model-gateway/service';
import type { MeasureStream } from './attempt-timers.ts';

/** Measures the calls of a worker. */
export function measureServer(server: Server, metrics: Registry): void {
  const { creditWaits } = server;
  gauge(metrics, 'gateway_calls_running', () => server.load);
  countedElsewhere(metrics, 'gateway_credit_waits_total', () => creditWaits.count);
  countedElsewhere(metrics, 'gateway_credit_wait_seconds_total', () => creditWaits.ms / 1_000);
  const refused = counter(metrics, 'gateway_calls_refused_total');
  for (const reason of ['full', 'places', 'project', 'bodies', 'draining']) refused.inc({ reason }, 0);
  server.onRefused = reason => refused.inc({ reason });
}

/** Returns the function that measures streams, by their providers in the catalog. */
export function measureStreams(catalog: Pick<Catalog, 'provider'>, metrics: Registry): MeasureStream {
  const chunks = counter(metrics, 'gateway_stream_chunks_total');
  const gaps = counter(metrics, 'gateway_stream_gap_seconds_total');
  const longest = histogram(metrics, 'gateway_stream_longest_gap_seconds');
  const providers = new Children(provider => ({
    chunks: chunks.labels(provider),
    gaps: gaps.labels(provider),
    longest: longest.labels(provider),
  }));
  return (provider, stream) => {
    if (stream.chunks === 0) return;
    const of = providers.of(catalog.provider(provider) ? provider : otherName);
    of.chunks.inc(stream.chunks);
    of.gaps.inc(stream.totalMs / 1_000);
    of.longest.observe(stream.longestMs / 1_000);
  };
}
