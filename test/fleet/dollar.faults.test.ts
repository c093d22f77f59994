import { setTimeout as sleep } from 'node:timers/promises';
import type { SentAnswer } from '@model-gateway/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../until.ts';
import { Fleet, type FleetProcess, requestsRunning } from './fleet.ts';
import { type Entry, entriesOf, ledger } from './ledger.ts';
import { busiest, callsOf } from './questions.ts';
import { idOf, ResponsesClient, readStream } from './responses-client.ts';
import { leaderOf, spentBy } from './spending.ts';

/** The prices of a token, in US dollars. */
const price = { input: 0.00002, output: 0.0001 };
/** The most tokens of an answer, which is reserved without a maximum, and those of most answers. */
const most = 200;
const usual = 80;
/** The most that is reserved for one request: its answer, and a prompt of fewer tokens. */
const reservation = most * (price.input + price.output);
/** Tokens that the simulator has sent and a worker has not read when a stream breaks off: those of a second, on a busy machine. */
const unread = 30;

/** A front that stops leaves its background responses to others soon. */
const env = { SIMULATOR_RECORD: '1', GATEWAY_DRAIN: '2s' };

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ workers: 2, fronts: 3, env, catalog });
  await leaderOf(fleet);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const providers = ['chat', 'completions', 'messages', 'gemini', 'responses'] as const;
type Provider = (typeof providers)[number];

function catalog(simulator: string): string {
  const cost = `{ input: ${price.input * 1e6}, output: ${price.output * 1e6} }`;
  const model = (provider: Provider) =>
    `  - { name: "${provider}/*", targets: [{ provider: ${provider}, model: "*" }], price: ${cost}, limits: { maxOutput: ${most} } }`;
  return `providers:
  - { name: chat, kind: openai-compatible, baseUrl: "${simulator}/v1" }
  - { name: completions, kind: openai-compatible, api: completions, baseUrl: "${simulator}/v1" }
  - { name: messages, kind: anthropic, baseUrl: "${simulator}", apiKey: { value: any } }
  - { name: gemini, kind: gemini, baseUrl: "${simulator}", apiKey: { value: any } }
  - { name: responses, kind: openai-compatible, api: responses, baseUrl: "${simulator}/v1" }
models:
${providers.map(model).join('\n')}
`;
}

/** A request of a client format. */
interface Requested {
  model: string;
  stream: boolean;
  /** The most output tokens; undefined for none. */
  most: number | undefined;
}

/** The answer is short, and lengthened with tokens of which an estimate by characters is right on average. */
const turns = [{ role: 'user', content: 'Be brief.' }];
/** The path and the body of a request, in each format. The field of the maximum differs. */
const formats: Record<string, (wanted: Requested) => [path: string, body: object]> = {
  'chat with max_completion_tokens': ({ most, ...rest }) => [
    '/v1/chat/completions',
    { ...rest, messages: turns, max_completion_tokens: most },
  ],
  'chat with max_tokens': ({ most, ...rest }) => [
    '/v1/chat/completions',
    { ...rest, messages: turns, max_tokens: most },
  ],
  completions: ({ most, ...rest }) => [
    '/v1/completions',
    // Servers of this format write 16 tokens without a maximum.
    { ...rest, prompt: 'Be brief.', max_tokens: most },
  ],
  messages: ({ most: max_tokens = most, ...rest }) => [
    '/v1/messages',
    { ...rest, messages: turns, max_tokens },
  ],
  responses: ({ most, ...rest }) => [
    '/v1/responses',
    { ...rest, input: 'Be brief.', max_output_tokens: most, store: false },
  ],
  'generate-content': ({ model, stream, most }) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      contents: [{ role: 'user', parts: [{ text: 'Be brief.' }] }],
      generationConfig: { maxOutputTokens: most },
    },
  ],
};

/** The request of each format to an upstream of each, whole and streamed, with and without a maximum. */
const kinds = Object.entries(formats).flatMap(([format, request]) =>
  providers
    // Text completions cannot be translated to.
    .filter(provider => provider !== 'completions' || format === 'completions')
    .flatMap(provider =>
      [true, false].flatMap(stream =>
        [undefined, 100].map(most => ({ format, provider, stream, most, request })),
      ),
    ),
);

/** Sends a request. Resolves with its status, its id, and how many seconds to wait before it may pass. */
async function send(i: number, token: string, [path, body]: [string, object], signal: AbortSignal) {
  const { url } = fleet.fronts[i % fleet.fronts.length] as FleetProcess;
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${token}`, 'x-goog-api-key': token },
      ...{ 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    },
    body: JSON.stringify(body),
    signal,
  });
  return { response, retryAfter: response.headers.get('retry-after') };
}

/** The requests of which the client gets a stream. */
const streaming = new Set<number>();

/**
 * Asks until the request has passed, or no later one can; a client that leaves does so in the middle. Returns true if it passed.
 */
async function ask(i: number, token: string, number: number, leaves: boolean): Promise<boolean> {
  const { provider, stream, most, request } = kinds[number % kinds.length] as (typeof kinds)[number];
  const model = `${provider}/sim-t${usual}-i40ms-k${number}`;
  let refusal = '';
  const end = performance.now() + 120_000;
  while (performance.now() < end) {
    const leaving = new AbortController();
    const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(60_000)]);
    try {
      const sending = send(i, token, request({ model, stream, most }), signal);
      // A whole answer takes 3.2 s.
      if (leaves && !stream) void sleep(1_500).then(() => leaving.abort());
      const { response, retryAfter } = await sending;
      if (!response.ok) {
        refusal = await response.text();
        if (retryAfter === null) return false;
        await sleep(250);
        continue;
      }
      let chunks = 0;
      for await (const _ of response.body ?? []) {
        if (stream && ++chunks > 2) streaming.add(number);
        if (leaves && stream && chunks > 6) break;
      }
      leaving.abort();
      return true;
    } catch {
      // The client left, or its worker was lost.
      return true;
    } finally {
      streaming.delete(number);
    }
  }
  throw new Error(`request ${number} was refused for too long: ${refusal}`);
}

/** The cost of what the simulator counted of an answer: all of one that ended, else what it had sent. */
function costOf({ input, output, sent, ended }: SentAnswer): number {
  return input * price.input + (ended ? output : sent) * price.output;
}

/** Pairs the attempts of a request with the simulator's answers: those that were charged with the longest. */
function paired(
  entries: readonly Entry[],
  answers: readonly SentAnswer[],
): [Entry, SentAnswer | undefined][] {
  const left = answers.toSorted((a, b) => Number(b.ended) - Number(a.ended) || b.sent - a.sent);
  return entries
    .toSorted((a, b) => Number(b.charged) - Number(a.charged))
    .map(entry => [entry, left.shift()]);
}

/** All attempts, with the simulator's answers to them, once the ledger has each. */
async function settled(): Promise<[Entry, SentAnswer | undefined][]> {
  return until('the ledger has every attempt', async () => {
    const entries = Map.groupBy(await ledger(fleet), ({ upstreamModel }) => upstreamModel);
    const answers = Map.groupBy(await fleet.answers(), ({ model }) => model);
    const missing = [...answers].filter(([model, of]) => (entries.get(model)?.length ?? 0) < of.length);
    if (missing.length > 0) throw new Error(`attempts are missing: ${JSON.stringify(missing)}`);
    return [...entries].flatMap(([model, of]) => paired(of, answers.get(model) ?? []));
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

test('a dollar pays for what 200 calls at once use, in every format, though clients leave and a worker dies', async () => {
  const { id, token } = await fleet.createToken({ budget: { amount: 1, period: 'total' } });
  const calls = Array.from({ length: 200 }, (_, i) => ask(i, token, i, (i + Math.floor(i / 4)) % 4 === 3));
  const worker = await until('each worker has streams', async () => {
    const [one = 0, other = 0] = await Promise.all(fleet.workers.map(callsOf));
    return streaming.size > 10 && one > 4 && other > 4 && fleet.workers[0];
  });
  await worker.kill();
  fleet.workers.splice(fleet.workers.indexOf(worker), 1);
  await fleet.startWorker();
  expect((await Promise.all(calls)).filter(Boolean).length).toBeGreaterThan(1 / reservation);
  // So little is left that the rest is refused; one request at a time may pass whatever it costs.
  for (let more = 200; await ask(more, token, more, false); more++) expect(more).toBeLessThan(500);
  const pairs = await settled();
  const charged = pairs.filter(([{ charged }]) => charged);
  const givenUp = pairs.filter(([{ charged }]) => !charged);
  const counted = sum(charged.map(([, answer]) => (answer ? costOf(answer) : 0)));
  const apart = sum(givenUp.map(([, answer]) => (answer ? costOf(answer) : 0)));
  expect(counted).toBeLessThanOrEqual(1 + reservation);
  expect(counted).toBeGreaterThan(1 - 2 * reservation);
  const estimated = charged.filter(([{ usage }]) => usage?.estimated);
  expect(estimated.length).toBeGreaterThan(10);
  expect(charged.some(([{ outcome }]) => outcome === 'lost')).toBe(true);
  for (const [entry, answer] of charged) {
    const { usage } = entry;
    // A worker that was lost, or whose client left, may not have read the end that was sent.
    if (answer?.ended && !usage?.estimated)
      expect(usage).toMatchObject({ input: answer.input, output: answer.output });
    else if (answer) {
      expect(usage?.input).toBeGreaterThanOrEqual(answer.input);
      expect(usage?.output).toBeGreaterThanOrEqual(answer.sent - unread);
    }
  }
  const ledgerCost = sum(
    charged.map(([{ usage }]) => (usage?.input ?? 0) * price.input + (usage?.output ?? 0) * price.output),
  );
  expect(ledgerCost).toBeGreaterThanOrEqual(counted - estimated.length * unread * price.output);
  await expect.poll(() => spentBy(fleet, id), { timeout: 30_000 }).toBeCloseTo(ledgerCost, 6);
  const { body } = await fleet.admin('GET', `/usage/totals?by=token&token=${id}`);
  const [{ unchargedCost }] = (body as { data: [{ unchargedCost: number }] }).data;
  expect(unchargedCost).toBeGreaterThanOrEqual(apart - givenUp.length * unread * price.output);
});

/** A stream of responses that reasons for some seconds, and does not show it. */
async function reasons(token: string, leaves: (text: string) => Promise<boolean>): Promise<string> {
  const leaving = new AbortController();
  const body = { model: 'responses/sim-t200-i40ms', input: 'Hello', stream: true, store: false };
  const request: [string, object] = ['/v1/responses', { ...body, reasoning: { effort: 'xhigh' } }];
  const { response } = await send(0, token, request, leaving.signal);
  if (!response.ok) throw new Error(await response.text());
  let text = '';
  try {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (await leaves(text)) break;
    }
  } catch {
    // Its worker was lost.
  }
  leaving.abort();
  return response.headers.get('x-request-id') ?? '';
}

test('reasoning that is not shown is charged to clients that leave, and so are those whose worker is lost', async () => {
  const { token } = await fleet.createToken();
  const begins = async (text: string) => text.split('output_text.delta').length > 12;
  const whole = await reasons(token, async () => false);
  const left = await reasons(token, begins);
  let killed = false;
  const lost = await reasons(token, async text => {
    if (killed || !(await begins(text))) return false;
    killed = true;
    const { worker } = await busiest(fleet.workers, 1);
    await worker.kill();
    fleet.workers.splice(fleet.workers.indexOf(worker), 1);
    return false;
  });
  await fleet.startWorker();
  const ids = [whole, left, lost];
  const entries = await until('the ledger has them', async () => {
    const found = await entriesOf(fleet, ids);
    return (
      found.length === ids.length && ids.map(id => found.find(({ requestId }) => requestId === id) as Entry)
    );
  });
  const sent = (await fleet.answers()).slice(-3).map(({ sent }) => sent);
  expect(entries.map(({ outcome }) => outcome)).toEqual(['answered', 'cancelled', 'lost']);
  for (const [i, { usage, charged }] of entries.entries()) {
    expect(charged).toBe(true);
    expect(usage?.estimated).toBe(i > 0);
    expect(usage?.output).toBeGreaterThanOrEqual((sent[i] as number) - unread);
    expect(usage?.output).toBeLessThanOrEqual((sent[i] as number) + unread);
  }
});

test.each([
  ['stopped', (front: FleetProcess) => front.stop()],
  ['killed', (front: FleetProcess) => front.kill()],
])('a background response that runs again after its ingress was %s is charged once', async (_, end) => {
  const { token } = await fleet.createToken();
  const idle = () => fleet.fronts[0] as FleetProcess;
  const client = new ResponsesClient(() => idle().url, token);
  const body = { model: 'responses/sim-t200-i40ms', input: 'Hello', background: true, stream: true };
  const begun = await readStream(await client.ask('', body), 20);
  const id = idOf(begun);
  // The one that was asked may not have seen yet that the client left.
  const front = await until('one front alone runs it', async () => {
    const running = await Promise.all(fleet.fronts.map(each => requestsRunning(each)));
    const busy = fleet.fronts.filter((_, at) => running[at] !== 0);
    return busy.length === 1 && busy[0];
  });
  fleet.fronts.splice(fleet.fronts.indexOf(front), 1);
  await end(front);
  expect(await client.untilOver(id)).toMatchObject({ status: 'completed' });
  const entries = await until('the ledger has both attempts', async () => {
    const found = await entriesOf(fleet, [id.replace(/^resp_/, 'req_')]);
    return found.length === 2 && found.toReversed();
  });
  expect(entries).toMatchObject([
    { outcome: 'cancelled', charged: false, usage: { estimated: true } },
    { outcome: 'answered', charged: true, usage: { estimated: false } },
  ]);
  expect(entries[0]?.usage?.output).toBeGreaterThan(0);
});
