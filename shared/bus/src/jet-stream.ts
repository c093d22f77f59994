import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { Bus } from './connection.ts';

/** A request that was sent into a reconnect is never answered: the next one soon may be. */
const options = { timeout: 1_500 };

export function jetStream(bus: Bus): JetStreamClient {
  return jetstream(bus.state, options);
}

export function streams(bus: Bus): Promise<JetStreamManager> {
  return jetstreamManager(bus.state, { ...options, checkAPI: false });
}
