import type { Clock } from '@model-gateway/clock';
import { type Certificate, listen, type Service } from '@model-gateway/service';
import { createApp } from './app.ts';
import { type Recorded, Traffic } from './common/traffic.ts';
import { Realtime } from './realtime/realtime.ts';

/** An upstream that costs nothing and speaks the vendors' wire formats. */
export const simulator: Service<'SIMULATOR_RECORD'> = {
  name: 'simulator',
  settings: ['SIMULATOR_RECORD'],
  isUpstream: true,
  async start(_context, { SIMULATOR_RECORD }) {
    const traffic = new Traffic(SIMULATOR_RECORD === '1');
    const realtime = new Realtime(traffic);
    return {
      handle: createApp(traffic),
      upgrade: realtime.upgrade,
      drain: () => realtime.drain(),
      close: async () => realtime.close(),
    };
  },
};

/** A simulator in this process. */
export interface StartedSimulator {
  /** `http://127.0.0.1:port`, or `https:`; OpenAI clients take it with `/v1` at the end. */
  url: string;
  /** The last 1000 requests, oldest first. */
  requests: readonly Recorded[];
  /** Returns the number of streams in progress. */
  openStreams(): number;
  /** Closes all connections and stops. */
  close(): Promise<void>;
}

/** Starts a simulator that records requests, for tests: on any free port by default, and over TLS with a certificate. */
export async function startSimulator(
  options: { port?: number; certificate?: Certificate; clock?: Clock } = {},
): Promise<StartedSimulator> {
  const { port = 0, certificate, clock } = options;
  const traffic = new Traffic(true, clock);
  const realtime = new Realtime(traffic);
  const { upgrade } = realtime;
  const listening = await listen(createApp(traffic), '127.0.0.1', port, { upgrade, certificate });
  return {
    url: listening.url,
    requests: traffic.recorded,
    openStreams: () => traffic.stats.streams,
    async close() {
      realtime.close();
      await listening.close();
    },
  };
}
