import type { Started } from '@model-gateway/service';
import { chatText } from './chat-text.ts';
import { Child } from './child.ts';
import { requestBody, type Scenario } from './scenarios.ts';

const upMs = 30_000;

/** The upstream, as a process of its own, so that its CPU is told apart from the gateway's. */
export interface StartedSimulator extends AsyncDisposable {
  /** `http://host:port`. */
  url: string;
  pid: number;
  /** The text that it answers to what a scenario asks. */
  textOf(scenario: Scenario): Promise<string>;
}

export async function startSimulator(signal: AbortSignal): Promise<StartedSimulator> {
  const child = new Child('services/simulator/src/main.ts', { PORT: '0', LOG_LEVEL: 'warn' }, 'inherit');
  const limit = AbortSignal.any([signal, AbortSignal.timeout(upMs)]);
  try {
    const { url } = await child.message<Started>(limit);
    return {
      url: url as string,
      pid: child.pid,
      textOf: scenario => wholeText(url as string, scenario, signal),
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}

/** Asked for a whole answer without delay, so that a streamed one is compared with what no stream has touched. */
async function wholeText(url: string, scenario: Scenario, signal: AbortSignal): Promise<string> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: requestBody({ ...scenario, client: 'chat', chunks: null }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(upMs)]),
  });
  return chatText(await answer.text(), false);
}
