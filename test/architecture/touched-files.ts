import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sourceOf } from '../../bench/bundle-source.ts';
import { cleanUp, Launched, root } from '../launcher/launched.ts';
import { until } from '../until.ts';
import type { Ran } from './touched-probe.ts';

/** Longer than the period of what each process does every second, so that every measurement includes it. */
const settleMs = 1_500;

interface Request {
  path: string;
  headers?: Record<string, string>;
  body: object;
}

const model = 'sim-fast';
const messages = [{ role: 'user', content: 'Hello' }];

/** One request of each kind. The model is served by an upstream of the chat format, so other formats are translated. */
export const requests: Record<string, Request> = {
  'chat, streamed': { path: '/v1/chat/completions', body: { model, messages, stream: true } },
  'chat, whole': { path: '/v1/chat/completions', body: { model, messages } },
  'messages, streamed and translated': {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model, messages, max_tokens: 64, stream: true },
  },
  'generate content, streamed and translated': {
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
  'responses, streamed and translated': {
    path: '/v1/responses',
    body: { model, input: 'Hello', store: false, stream: true },
  },
  embeddings: { path: '/v1/embeddings', body: { model: 'sim-embed', input: 'Hello' } },
};

/** The files, relative to the project, in which a function ran for a request. */
export interface Touched {
  front: string[];
  worker: string[];
}

/** Sends each request once to warm up, and three times more, to a gateway of its own that is otherwise idle. */
export async function measureTouched(names: readonly string[]): Promise<Record<string, Touched>> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-touched-'));
  const probe = new URL(`./touched-probe.ts?folder=${encodeURIComponent(folder)}`, import.meta.url);
  const gateway = new Launched({ env: { NODE_OPTIONS: `--import ${probe.href}` } });
  try {
    const { baseUrl, token, processes } = await gateway.ready();
    const pidOf = (name: string) => processes.find(process => process.name === name)?.pid as number;
    const found: Record<string, Touched> = {};
    for (const name of names) {
      const request = requests[name];
      if (!request) throw new Error(`no request is named '${name}': ${Object.keys(requests).join('; ')}`);
      const pids = { front: pidOf('front'), worker: pidOf('worker') };
      const run = async (): Promise<Record<keyof Touched, Set<string>>> => {
        await sleep(settleMs);
        const [front, worker] = await Promise.all([take(folder, pids.front), take(folder, pids.worker)]);
        return { front, worker };
      };
      const runRequest = async () => {
        await send(baseUrl, token, request);
        return run();
      };
      await runRequest();
      const idle = [await run(), await run()];
      const runs = [await runRequest(), await runRequest(), await runRequest()];
      const ofProcess = (process: keyof Touched) =>
        filesOf(inAll(runs.map(ran => ran[process])).difference(inAny(idle.map(ran => ran[process]))));
      found[name] = { front: ofProcess('front'), worker: ofProcess('worker') };
    }
    return found;
  } finally {
    gateway.signal('SIGTERM', 'process');
    await gateway.exit();
    await cleanUp();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the functions of all runs: without those that a process runs every few seconds, request or not. */
function inAll(runs: readonly Set<string>[]): Set<string> {
  return runs.reduce((all, run) => all.intersection(run));
}

function inAny(runs: readonly Set<string>[]): Set<string> {
  return runs.reduce((all, run) => all.union(run));
}

async function send(baseUrl: string, token: string, { path, headers, body }: Request): Promise<void> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
}

/** Returns the functions of a process that ran since the last call: their file and the offset at which they start. */
async function take(folder: string, pid: number): Promise<Set<string>> {
  const path = join(folder, `${pid}.json`);
  rmSync(path, { force: true });
  process.kill(pid, 'SIGUSR2');
  await until(`process ${pid} answers`, () => existsSync(path));
  const ran: Ran[] = JSON.parse(readFileSync(path, 'utf8'));
  return new Set(
    ran
      .filter(({ url }) => url.startsWith('file://'))
      .flatMap(({ url, starts }) =>
        starts.map(start => `${fileURLToPath(url.replace(/\?.*/, ''))}:${start}`),
      ),
  );
}

/** Returns the project's files that hold the functions, which may run from a bundle. */
function filesOf(functions: Set<string>): string[] {
  const lineStarts = new Map<string, number[]>();
  const files = [...functions].map(each => {
    const [, file = '', offset] = /^(.*):(\d+)$/.exec(each) ?? [];
    const start = Number(offset);
    const starts = lineStarts.get(file) ?? lineStartsOf(file);
    lineStarts.set(file, starts);
    const line = starts.findLastIndex(lineStart => lineStart <= start);
    return sourceOf({ file, line, column: start - (starts[line] as number) }).file;
  });
  return [...new Set(files)]
    .filter(path => path.startsWith(root) && !/\/(node_modules|test)\//.test(path))
    .map(path => path.slice(root.length))
    .toSorted();
}

/** Returns the offset at which each line of a file starts. */
function lineStartsOf(file: string): number[] {
  return [
    0,
    ...readFileSync(file, 'utf8')
      .matchAll(/\n/g)
      .map(({ index }) => index + 1),
  ];
}
