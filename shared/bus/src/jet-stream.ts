import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { Bus } from './connection.ts';

/** The client writes the connection's inbox prefix into its options, so each client gets a copy. */
const options = {
  // A request sent during a reconnect is never answered; a short timeout lets the next one succeed soon.
  timeout: 1_500,
  // The first use shows if JetStream is available; the check would need permission to read the account.
  checkAPI: false,
};

export function jetStream(bus: Bus): JetStreamClient {
  return jetstream(bus.state, { ...options });
}

export function streams(bus: Bus): Promise<JetStreamManager> {
  return jetstreamManager(bus.state, { ...options });
}
