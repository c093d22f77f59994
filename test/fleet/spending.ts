import { until } from '../until.ts';
import { errorOf } from './clients.ts';
import type { Fleet, FleetProcess } from './fleet.ts';

/** The price of an output token, in US dollars: round sums are easier to compare than real prices. */
export const perToken = 0.01;

/** A catalog of models with and without prices, and of budgets. */
export const catalog = (simulatorUrl: string) => `providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "${simulatorUrl}/v1" }
models:
  - { name: "free-*", targets: [ { provider: simulator, model: "sim-*" } ] }
  - { name: "sim-*", targets: [ { provider: simulator, model: "sim-*" } ], price: { input: 0, output: ${perToken * 1e6} } }
  - name: cheap
    targets: [ { provider: simulator, model: sim-t3, price: { input: 0, output: 1 } } ]
    fallbacks: [ sim-t3 ]
projects:
  - { name: shared, budget: { amount: 0.1, period: day } }
  - { name: lenient, allowUnpriced: true }
users:
  - { name: ada, budget: { amount: 0.1, period: week } }
`;

export interface Requested {
  model?: string;
  max_tokens?: number;
  stream?: boolean;
}

/** Sends a request of three tokens to a front of the fleet. */
export async function ask(to: Fleet, i: number, token: string, wanted: Requested = {}): Promise<Response> {
  const front = to.fronts[i % to.fronts.length] as FleetProcess;
  const body = { model: 'sim-t3', max_tokens: 3, messages: [{ role: 'user', content: 'Hello' }], ...wanted };
  return fetch(`${front.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
}

export async function answer(to: Fleet, i: number, token: string, wanted?: Requested) {
  const response = await ask(to, i, token, wanted);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    error: errorOf(text) as Refusal | undefined,
  };
}

export interface Refusal {
  message: string;
  type: string;
  code: string;
}

/** The codes of requests on which no process decides. */
const undecided = ['server_is_overloaded', 'bus_unavailable'];

/** Asks again, as SDKs do, while no process counts, or the one that counts does not know yet what was spent. */
export function known(to: Fleet, i: number, token: string, wanted?: Requested) {
  return askWhile(undecided, to, i, token, wanted);
}

/** Asks again also while requests that have just ended are not settled at the process that counts. */
export function settled(to: Fleet, i: number, token: string, wanted?: Requested) {
  return askWhile([...undecided, 'rate_limit_exceeded'], to, i, token, wanted);
}

async function askWhile(codes: string[], to: Fleet, i: number, token: string, wanted?: Requested) {
  return until(`an answer other than ${codes}`, async () => {
    const answered = await answer(to, i, token, wanted);
    return !codes.includes(answered.error?.code ?? '') && answered;
  });
}

/** Opens a stream; asks again while no process counts. @throws Error if it is refused */
export async function opened(to: Fleet, i: number, token: string, wanted: Requested): Promise<Response> {
  const response = await until('a process counts', async () => {
    const response = await ask(to, i, token, { ...wanted, stream: true });
    const refused = response.ok ? undefined : (errorOf(await response.clone().text()) as Refusal | undefined);
    return !undecided.includes(refused?.code ?? '') && response;
  });
  if (!response.ok) throw new Error(`the stream was refused: ${await response.text()}`);
  return response;
}

/** The sum of the charged attempts of a token in the ledger. */
export async function spentBy(to: Fleet, id: string): Promise<number> {
  const { body } = await to.admin('GET', `/usage/totals?by=token&token=${id}`);
  return (body as { data: { cost: number }[] }).data[0]?.cost ?? 0;
}

/** Finds the front that counts for all. */
export async function leaderOf({ fronts }: Fleet): Promise<FleetProcess> {
  const leads = async ({ opsUrl }: FleetProcess) =>
    /^gateway_limits_leader 1$/m.test(await (await fetch(`${opsUrl}/metrics`)).text());
  return until('a front counts', async () => {
    for (const front of fronts) if (await leads(front)) return front;
    return undefined;
  });
}
