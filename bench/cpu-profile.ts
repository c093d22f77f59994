import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sourceOf } from './bundle-source.ts';

/** The address at which Node's inspector lists its process, once the process gets SIGUSR1. */
const inspector = 'http://127.0.0.1:9229/json/list';
/** Time between two samples, in microseconds. */
const interval = 500;

/** A CPU profile as the inspector writes it; the parts that are read here. */
export interface CpuProfile {
  nodes: {
    id: number;
    hitCount?: number;
    callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number };
  }[];
}

interface Evaluated {
  result: { value: unknown };
}

/** Profiles a Node process while `work` runs. @throws Error if another process uses the inspector's port */
export async function profileOf(pid: number, work: () => Promise<void>): Promise<CpuProfile> {
  process.kill(pid, 'SIGUSR1');
  const socket = new WebSocket(await inspectorUrl());
  await once(socket, 'open');
  let last = 0;
  const ask = async (method: string, params = {}) => {
    const id = ++last;
    const answer = Promise.withResolvers<{ result: unknown }>();
    const read = ({ data }: MessageEvent) => {
      const message = JSON.parse(String(data));
      if (message.id === id) answer.resolve(message);
    };
    socket.addEventListener('message', read);
    socket.addEventListener('close', () => answer.reject(new Error('the process has ended')));
    socket.send(JSON.stringify({ id, method, params }));
    const { result } = await answer.promise;
    socket.removeEventListener('message', read);
    return result;
  };
  try {
    const { result } = (await ask('Runtime.evaluate', { expression: 'process.pid' })) as Evaluated;
    if (result.value !== pid) throw new Error(`process ${result.value} uses the inspector's port, 9229`);
    await ask('Profiler.enable');
    await ask('Profiler.setSamplingInterval', { interval });
    await ask('Profiler.start');
    await work();
    return ((await ask('Profiler.stop')) as { profile: CpuProfile }).profile;
  } finally {
    socket.close();
  }
}

async function inspectorUrl(): Promise<string> {
  for (let left = 50; ; left--) {
    try {
      const [target] = (await (await fetch(inspector)).json()) as { webSocketDebuggerUrl: string }[];
      if (target) return target.webSocketDebuggerUrl;
    } catch (error) {
      if (left === 0) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** The share of the busy time that each function took by itself, largest first. */
export function selfTimes({ nodes }: CpuProfile): { at: string; share: number }[] {
  const hits = new Map<string, number>();
  for (const { hitCount = 0, callFrame } of nodes) {
    const at = nameOf(callFrame);
    if (hitCount > 0 && at !== '(idle)') hits.set(at, (hits.get(at) ?? 0) + hitCount);
  }
  const all = [...hits.values()].reduce((sum, one) => sum + one, 0);
  return [...hits]
    .map(([at, count]) => ({ at, share: count / all }))
    .sort((one, other) => other.share - one.share);
}

const root = fileURLToPath(new URL('../', import.meta.url));

function nameOf({
  functionName,
  url,
  lineNumber,
  columnNumber,
}: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName || (url ? '(anonymous)' : '(unknown)');
  if (!url) return name;
  if (!url.startsWith('file:')) return `${name} ${url}:${lineNumber + 1}`;
  const { file, line } = sourceOf({ file: fileURLToPath(url), line: lineNumber, column: columnNumber });
  return `${name} ${file.replace(root, '')}:${line + 1}`;
}
