import type { ConsumerConfig, JetStreamManager } from '@nats-io/jetstream';

/** Makes a reader's place in a stream where there is none. One that a control of another version made otherwise gets this configuration. */
export async function makePlace(
  manager: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig> & { durable_name: string },
): Promise<void> {
  await manager.consumers
    .add(stream, config)
    .catch(() => manager.consumers.update(stream, config.durable_name, config));
}
