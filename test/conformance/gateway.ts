import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { type Format, formats, providersAt } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';

/** A gateway with an upstream of each format, whose behaviour depends on the model's name. */
export interface FaultyGateway extends Stack {
  simulator: StartedSimulator;
  time: PassingTime;
}

/** The total limits answers that are not streamed. */
const timeouts = { firstToken: '5s', idle: '1s', total: '10s' };

/**
 * The model `chat/fault-…` fails at a chat upstream; `chat-first/fault-…` fails there before a good target of
 * another format.
 */
export async function startFaultyGateway(): Promise<FaultyGateway> {
  const simulator = await startSimulator();
  const time = new PassingTime();
  const stack = await startStack({
    time,
    catalog: {
      // Providers that have not failed, so that their keys do not rest.
      providers: [...providersAt(simulator.url), ...providersAt(simulator.url, 'spare-')],
      models: formats.flatMap(modelsOf),
    },
  });
  return {
    ...stack,
    simulator,
    time,
    async stop() {
      await stack.stop();
      await simulator.close();
    },
  };
}

function modelsOf(format: Format): object[] {
  const spare = { provider: format === 'chat' ? 'spare-messages' : 'spare-chat', model: 'sim-fast' };
  const at = (model: string) => ({ provider: format, model });
  return [
    { name: `${format}/*`, targets: [at('*')], timeouts },
    { name: `${format}-first/*`, targets: [at('*'), spare], timeouts },
  ];
}
