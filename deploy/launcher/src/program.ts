import type { ChildProcess } from 'node:child_process';
import type { Started } from '@model-gateway/service';

/** How a process of the gateway is started, and how it is known to be up. */
export interface Program {
  name: string;
  /** Starts it in a process group of its own; after a loss at the addresses that it had, for others know them. */
  spawn(earlier: Started | undefined): ChildProcess;
  /** Resolves once it answers; rejects at the signal at the latest. */
  up(child: ChildProcess, signal: AbortSignal): Promise<Started>;
}
