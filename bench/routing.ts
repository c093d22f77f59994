// Prints what clients see while one of a model's three targets misbehaves, behind three ingresses: `npm run bench:routing`.
// With `--plain`, models have targets with weights and nothing else.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { Fleet, type FleetProcess, untilReady } from '../test/fleet/fleet.ts';
import { type Script, ScriptedUpstream } from '../test/routing/scripted-upstream.ts';

interface Scenario {
  name: string;
  /** Returns the answer of the first target; `ms` is the time since the scenario began. */
  script(ms: number): Script;
  /** Fields of the model. */
  model?: string;
  requests?: number;
  /** Requests a second; as many as clients get answered if absent. */
  rate?: number;
}

const failing = { does: 'fail', status: 500 } as const;
const slow = { does: 'answer', afterMs: 1_500 } as const;
const scenarios: Scenario[] = [
  { name: 'all well', script: () => ({ does: 'answer' }) },
  { name: '429 without a time', script: () => ({ does: 'fail', status: 429 }) },
  {
    name: '429 with a time (10 s)',
    script: () => ({ does: 'fail', status: 429, headers: { 'retry-after': '10' } }),
  },
  { name: '500, every tenth', script: () => (Math.random() < 0.1 ? failing : { does: 'answer' }) },
  { name: '500, always', script: () => failing, requests: 500 },
  { name: 'slow (1.5 s)', script: () => slow },
  { name: 'slow, `strategy: fastest`', script: () => slow, model: 'strategy: fastest' },
  { name: 'slow, `hedgeAfter: 200ms`', script: () => slow, model: 'hedgeAfter: 200ms' },
  { name: 'hanging (`firstToken: 2s`)', script: () => ({ does: 'hang' }) },
  { name: 'cut in the middle', script: () => ({ does: 'cut' }) },
  { name: 'refused key', script: () => ({ does: 'fail', status: 401 }) },
  {
    name: '500, back after 30 s',
    script: ms => (ms < 30_000 ? failing : { does: 'answer' }),
    requests: 450,
    rate: 10,
  },
];
const usualRequests = 300;
const clients = 12;
const fronts = 3;

const { values } = parseArgs({ options: { plain: { type: 'boolean', default: false } } });
const chosen = scenarios.filter(({ model }) => !values.plain || model === undefined);
const upstreams = [new ScriptedUpstream(), new ScriptedUpstream(), new ScriptedUpstream()] as const;
const [bad] = upstreams;

const urls = await Promise.all(upstreams.map(upstream => upstream.url()));
const providers = urls.map((url, at) => `  - { name: up${at}, kind: openai-compatible, baseUrl: "${url}" }`);
const models = chosen.map(({ model = '' }, scenario) => {
  // A target of its own for each scenario, so that none begins with rests.
  const targets = urls.map((_, at) => `{ provider: up${at}, model: m${scenario}, weight: 1 }`).join(', ');
  const more = model && `, ${model}`;
  return `  - { name: m${scenario}, targets: [ ${targets} ], timeouts: { firstToken: 2s, total: 20s }${more} }`;
});
const catalog = `providers:\n${providers.join('\n')}\nmodels:\n${models.join('\n')}\n`;

const fleet = await Fleet.start({ catalog: () => catalog });
try {
  for (let i = 1; i < fronts; i++) await untilReady(await fleet.startFront());
  const rows = [];
  for (const [at, scenario] of chosen.entries()) rows.push(await run(scenario, `m${at}`));
  print(rows);
} finally {
  await fleet[Symbol.asyncDispose]();
  for (const upstream of upstreams) upstream.close();
}

/** One client of each SDK for a front; `sent` counts what they send, with their own retries. */
function clientsOf({ url }: FleetProcess, sent: { requests: number; errors: number }) {
  const counting: typeof fetch = async (input, init) => {
    sent.requests++;
    const response = await fetch(input, init);
    if (!response.ok) sent.errors++;
    return response;
  };
  return {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: fleet.token, fetch: counting }),
    anthropic: new Anthropic({ baseURL: url, apiKey: fleet.token, fetch: counting }),
  };
}

type Clients = ReturnType<typeof clientsOf>;

/** Asks in one of four ways and reads the whole answer. @throws if the answer is an error or not complete */
async function ask({ openai, anthropic }: Clients, model: string, way: number): Promise<void> {
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const asked = { model, messages, max_tokens: 50 };
  switch (way % 4) {
    case 0:
      return void (await openai.chat.completions.create(asked));
    case 1: {
      for await (const _ of await openai.chat.completions.create({ ...asked, stream: true }));
      return;
    }
    case 2:
      return void (await anthropic.messages.create(asked));
    default:
      return void (await anthropic.messages.stream(asked).finalMessage());
  }
}

async function run({ name, script, requests = usualRequests, rate }: Scenario, model: string) {
  const began = Date.now();
  bad.next = () => script(Date.now() - began);
  for (const upstream of upstreams) upstream.requests = 0;
  const sent = { requests: 0, errors: 0 };
  const perFront = fleet.fronts.map(front => clientsOf(front, sent));
  const times: number[] = [];
  let failed = 0;
  let next = 0;
  const client = async () => {
    for (let at = next++; at < requests; at = next++) {
      if (rate) await sleep(Math.max(0, began + (1_000 * at) / rate - Date.now()));
      const start = performance.now();
      try {
        await ask(perFront[at % fronts] as Clients, model, Math.floor(at / fronts));
      } catch {
        failed++;
      }
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const attempts = upstreams.reduce((sum, upstream) => sum + upstream.requests, 0);
  const atBad = bad.requests;
  times.sort((a, b) => a - b);
  const part = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0;
  const recorded = await untilRecorded(model, attempts);
  process.stderr.write(`${name}: ${((Date.now() - began) / 1_000).toFixed(0)} s\n`);
  return {
    name,
    calls: requests,
    ...sent,
    failed,
    attempts,
    atBad,
    p50: part(0.5),
    p99: part(0.99),
    recorded,
  };
}

/** Waits until the ledger has this many attempts of a model; returns how many it has. */
async function untilRecorded(model: string, attempts: number): Promise<number> {
  let count = 0;
  for (let wait = 0; wait < 40; wait++) {
    count = 0;
    for (let next: string | null = ''; next !== null; ) {
      const { body } = await fleet.admin(
        'GET',
        `/usage?model=${model}&limit=1000${next && `&cursor=${next}`}`,
      );
      const page = body as { data: unknown[]; next: string | null };
      count += page.data.length;
      next = page.next;
    }
    if (count >= attempts) break;
    await sleep(500);
  }
  return count;
}

function print(rows: Awaited<ReturnType<typeof run>>[]): void {
  const head = [
    'first target',
    'calls',
    'failed',
    'requests',
    'errors',
    'attempts',
    'at it',
    'in the ledger',
    'p50, ms',
    'p99, ms',
  ];
  const lines = rows.map(({ name, calls, failed, requests, errors, attempts, atBad, recorded, p50, p99 }) => [
    ...[name, calls, failed, requests, errors, attempts, atBad, recorded, p50.toFixed(0), p99.toFixed(0)],
  ]);
  for (const line of [head, head.map(() => '---'), ...lines]) console.log(`| ${line.join(' | ')} |`);
}
