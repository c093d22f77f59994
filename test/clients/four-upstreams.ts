import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { type Format, formats, providersAt } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';

/** The formats that the simulator is spoken to in; a model is asked for by one of these and its name. */
export const upstreams = formats;
export type Upstream = Format;

/** Models by the name after that, and what each is at the simulator: fast, and of which generation. */
const names = { 'sim-fast': 'sim-fast', 'claude-opus-4-6': 'sim-fast-claude-opus-4-6', '*': '*' };

/** A gateway before one simulator, which it knows as an upstream of each format. */
export interface FourUpstreams {
  simulator: StartedSimulator;
  stack: Stack;
  /** The body of the last request that the simulator got. */
  received(): Record<string, unknown>;
  stop(): Promise<void>;
}

export async function startFourUpstreams(): Promise<FourUpstreams> {
  const simulator = await startSimulator();
  const models = Object.entries(names).flatMap(([name, model]) =>
    upstreams.map(provider => ({ name: `${provider}/${name}`, targets: [{ provider, model }] })),
  );
  const stack = await startStack({ catalog: { providers: providersAt(simulator.url), models } });
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
