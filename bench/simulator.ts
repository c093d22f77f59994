import type { Started } from '@model-gateway/service';
import { chatText } from './chat-text.ts';
import { Child } from './child.ts';
import { requestBody, type Scenario } from './scenarios.ts';

const upMs = 30_000;

/** The upstream in its own process, so that its CPU time is separate from the gateway's. */
export interface StartedSimulator extends AsyncDisposable {
  /** `http://host:port`. */
  url: string;
  pid: number;
  /** The text with which it answers a scenario. */
  textOf(scenario: Scenario): Promise<string>;
}

/** Starts the simulator; port 0 is any free port. */
export async function startSimulator(signal: AbortSignal, port = 0): Promise<StartedSimulator> {
  const env = { PORT: String(port), LOG_LEVEL: 'warn' };
  const child = new Child('services/simulator/src/main.ts', env, 'inherit');
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

/** Requests a non-streamed response without delay, as the reference for streamed ones. */
export async function wholeText(url: string, scenario: Scenario, signal: AbortSignal): Promise<string> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: requestBody({ ...scenario, client: 'chat', chunks: null }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(upMs)]),
  });
  return chatText(await answer.text(), false);
}
