import { type Certificate, listen } from '@model-gateway/service';
import { createApp } from './app.ts';
import { Realtime } from './realtime/realtime.ts';
import { type Recorded, Traffic } from './traffic.ts';

/** A simulator in this process. */
export interface StartedSimulator {
  /** `http://127.0.0.1:port`, or `https:`; OpenAI clients take it with `/v1` at the end. */
  url: string;
  /** The last 1000 requests, oldest first. */
  requests: readonly Recorded[];
  /** Streamed answers in progress. */
  openStreams(): number;
  /** Cuts all connections and stops. */
  close(): Promise<void>;
}

/** Starts a simulator that records, for tests; without a port, on any free one; with a certificate, over TLS. */
export async function startSimulator({
  port = 0,
  certificate,
}: {
  port?: number;
  certificate?: Certificate;
} = {}): Promise<StartedSimulator> {
  const traffic = new Traffic(true);
  const realtime = new Realtime(traffic);
  const listening = await listen(createApp(traffic), '127.0.0.1', port, {
    upgrade: realtime.upgrade,
    certificate,
  });
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
