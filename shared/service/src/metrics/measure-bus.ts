import type { Bus, Purpose } from '@model-gateway/bus';
import { counter, gauge, gauges, type Registry } from './registry.ts';

/** The longest time that a scrape waits for NATS, in milliseconds. */
const longestMs = 1_000;

/** Measures a process's connections to NATS. */
export function measureBus(bus: Bus, metrics: Registry): void {
  gauge(metrics, 'gateway_bus_connected', () => Number([...bus.open.keys()].every(bus.isUp)));
  const reconnects = counter(metrics, 'gateway_bus_reconnects_total');
  for (const purpose of bus.open.keys()) reconnects.labels(purpose).inc(0);
  bus.onReconnect = purpose => reconnects.labels(purpose).inc();
  gauges(metrics, 'gateway_bus_round_trip_seconds', async () => {
    // A ping would wait for a lost connection to return.
    const open = [...bus.open.keys()].filter(bus.isUp);
    const measured = await Promise.all(open.map(purpose => roundTrip(bus, purpose)));
    return measured.flatMap(reading => (reading ? [reading] : []));
  });
}

async function roundTrip(
  bus: Bus,
  connection: Purpose,
): Promise<[{ connection: string }, number] | undefined> {
  const late = new AbortController();
  const measured = bus.open
    .get(connection)
    ?.rtt()
    .catch(() => undefined);
  const timeout = bus.clock.sleep(longestMs, { signal: late.signal }).catch(() => undefined);
  const ms = await Promise.race([measured, timeout]);
  late.abort();
  return ms === undefined ? undefined : [{ connection }, ms / 1_000];
}
