import type { Clock } from '@model-gateway/clock';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { type Stack, type StackOptions, startStack } from './stack.ts';

/** A gateway with a simulator. */
export interface Simulated {
  simulator: StartedSimulator;
  stack: Stack;
  /** The body of the last request at the simulator. */
  received(): Record<string, unknown>;
  stop(): Promise<void>;
}

export interface SimulatedOptions extends Omit<StackOptions, 'catalog'> {
  /** The simulator's time, by which its answers go on. */
  pace?: Clock;
}

/** Starts both; `catalogAt` returns the content of gateway.yaml for the simulator's URL, which has no path. */
export async function startSimulated(
  catalogAt: (url: string) => unknown,
  { pace, ...options }: SimulatedOptions = {},
): Promise<Simulated> {
  const simulator = await startSimulator(pace && { clock: pace });
  const stack = await startStack({ catalog: catalogAt(simulator.url), ...options });
  return {
    simulator,
    stack,
    received: () => JSON.parse(simulator.requests.at(-1)?.body ?? 'null'),
    async stop() {
      await stack.stop();
      await simulator.close();
    },
  };
}
