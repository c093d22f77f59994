import { listen } from '@model-gateway/service';
import { createApp } from './app.ts';
import { type Recorded, Traffic } from './traffic.ts';

/** A simulator in this process. */
export interface StartedSimulator {
  /** `http://127.0.0.1:port`; OpenAI clients take it with `/v1` at the end. */
  url: string;
  /** The last 1000 requests, oldest first. */
  requests: readonly Recorded[];
  /** How many streamed answers are under way. */
  openStreams(): number;
  /** Cuts what is under way and stops. */
  close(): Promise<void>;
}

/** Starts a simulator that records, for tests; without a port, on any free one. */
export async function startSimulator({ port = 0 }: { port?: number } = {}): Promise<StartedSimulator> {
  const traffic = new Traffic(true);
  const { url, close } = await listen(createApp(traffic), '127.0.0.1', port);
  return { url, requests: traffic.recorded, openStreams: () => traffic.stats.streams, close };
}
