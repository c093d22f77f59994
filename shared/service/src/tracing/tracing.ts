import type { Log } from '../log.ts';
import type { Registry } from '../metrics/index.ts';
import type { TraceSettings } from './open-telemetry.ts';
import type { Tracing } from './span.ts';

interface ProcessParts {
  /** The name of the service. */
  name: string;
  metrics: Registry;
  log: Log;
}

/**
 * Opens the traces of a process; undefined without a collector. Only then is the OpenTelemetry SDK loaded: it takes memory and
 * time to start.
 */
export async function openTracing(
  settings: TraceSettings,
  parts: ProcessParts,
): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: below, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = settings;
  const url = whole ?? (below && `${below.replace(/\/$/, '')}/v1/traces`);
  if (!url) return undefined;
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry({ ...parts, settings, url });
}
