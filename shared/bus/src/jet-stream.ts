import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { Bus } from './connection.ts';

/** The client writes the connection's inbox prefix into what it is given: each gets a copy. */
const options = {
  // A request that was sent into a reconnect is never answered: the next one soon may be.
  timeout: 1_500,
  // That JetStream is there shows at the first use; the account's figures are nobody's business.
  checkAPI: false,
};

export function jetStream(bus: Bus): JetStreamClient {
  return jetstream(bus.state, { ...options });
}

export function streams(bus: Bus): Promise<JetStreamManager> {
  return jetstreamManager(bus.state, { ...options });
}
