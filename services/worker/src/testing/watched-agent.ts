import { Agent, type Dispatcher } from 'undici';
import { expect, vi } from 'vitest';

/** An agent that knows how much of its responses has been read. */
export class WatchedAgent extends Agent {
  /** Bytes of bodies. */
  read = 0;
  /** Number of responses that have been read to their end. */
  ended = 0;

  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return super.dispatch(options, {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (controller, chunk) => {
        handler.onResponseData?.(controller, chunk);
        this.read += chunk.length;
      },
      onResponseEnd: (...args) => {
        handler.onResponseEnd?.(...args);
        this.ended++;
      },
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
  }

  /** Forgets what has been read. */
  restart(): void {
    this.read = 0;
    this.ended = 0;
  }

  /** Resolves once this many bytes have been read. */
  async hasRead(bytes: number): Promise<void> {
    await vi.waitFor(() => expect(this.read).toBeGreaterThanOrEqual(bytes), { interval: 5 });
  }

  /** Resolves once this many responses have been read to their end. */
  async hasEnded(responses: number): Promise<void> {
    await vi.waitFor(() => expect(this.ended).toBe(responses), { interval: 5 });
  }
}
