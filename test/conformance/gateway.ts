import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { type Format, formats, providersAt } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';

/** A gateway with an upstream of each format, whose behaviour depends on the model's name. */
export interface FaultyGateway extends Stack {
  simulator: StartedSimulator;
}

/** The total limits answers that are not streamed, and every test of an upstream that hangs lasts as long. */
const long = { firstToken: '60s', idle: '60s', total: '20s' };
const hang = { fault: 'fault-hang', timeouts: { ...long, firstToken: '5s' } };
const stall = { fault: 'fault-stall', timeouts: { ...long, idle: '2s' } };
/** The spare target has the same timeouts, and must not exceed them. */
const patient = { ...long, firstToken: '10s' };

/**
 * The model `chat/fault-…` fails at a chat upstream; `chat-first/fault-…` fails there before a good target of
 * another format.
 */
export async function startFaultyGateway(): Promise<FaultyGateway> {
  const simulator = await startSimulator();
  const stack = await startStack({
    catalog: {
      // Providers that have not failed, so that their keys do not rest.
      providers: [...providersAt(simulator.url), ...providersAt(simulator.url, 'spare-')],
      models: formats.flatMap(modelsOf),
    },
  });
  return {
    ...stack,
    simulator,
    async stop() {
      await stack.stop();
      await simulator.close();
    },
  };
}

/** Only hanging upstreams get short timeouts: others may be slow on a busy machine. */
function modelsOf(format: Format): object[] {
  const spare = { provider: format === 'chat' ? 'spare-messages' : 'spare-chat', model: 'sim-fast' };
  const at = (model: string) => ({ provider: format, model });
  return [
    { name: `${format}/*`, targets: [at('*')] },
    { name: `${format}-first/*`, targets: [at('*'), spare] },
    ...[hang, stall].map(({ fault, timeouts }) => ({
      name: `${format}/${fault}`,
      targets: [at(fault)],
      timeouts,
    })),
    { name: `${format}-first/fault-hang`, targets: [at('fault-hang'), spare], timeouts: patient },
  ];
}
