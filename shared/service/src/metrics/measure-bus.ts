import { type Bus, followStatus } from '@model-gateway/bus';
import { counter, gauge, gauges, type Registry } from './registry.ts';

/** The longest time that a scrape waits for NATS, in milliseconds. */
const longestMs = 1_000;

const connections = ['calls', 'state'] as const;

/** Measures a process's connections to NATS. */
export function measureBus(bus: Bus, metrics: Registry): void {
  gauge(metrics, 'gateway_bus_connected', () => Number(bus.connected()));
  const reconnects = counter(metrics, 'gateway_bus_reconnects_total');
  for (const connection of connections) {
    const reopened = reconnects.labels(connection);
    reopened.inc(0);
    void followStatus(bus[connection], bus.faults, ({ type }) => {
      if (type === 'reconnect') reopened.inc();
    });
  }
  gauges(metrics, 'gateway_bus_round_trip_seconds', async () => {
    // A ping would wait for a lost connection to return.
    if (!bus.connected()) return [];
    const measured = await Promise.all(connections.map(connection => roundTrip(bus, connection)));
    return measured.flatMap(reading => (reading ? [reading] : []));
  });
}

async function roundTrip(
  bus: Bus,
  connection: (typeof connections)[number],
): Promise<[{ connection: string }, number] | undefined> {
  const late = new AbortController();
  const measured = bus[connection].rtt().catch(() => undefined);
  const timeout = bus.clock.sleep(longestMs, { signal: late.signal }).catch(() => undefined);
  const ms = await Promise.race([measured, timeout]);
  late.abort();
  return ms === undefined ? undefined : [{ connection }, ms / 1_000];
}
