import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Child } from './child.ts';
import type { StartedGateway } from './gateway.ts';
import { memoryOf } from './process-usage.ts';
import type { StartedSimulator } from './simulator.ts';

const upMs = 30_000;
const sampleMs = 500;

/** A server that gets the loads. */
export interface Target {
  name: string;
  /** `http://host:port`. */
  url: string;
  token: string;
  /** Its processes by name; empty if the simulator is called directly. */
  pids: Record<string, number>;
  /** The name of a model of the simulator at this target. */
  model(name: string): string;
}

const same = (name: string) => name;

/** Returns the simulator as a target. */
export function direct({ url }: StartedSimulator): Target {
  return { name: 'direct', url, token: 'any', pids: {}, model: same };
}

export function gatewayTarget({ url, token, pids }: StartedGateway): Target {
  return { name: 'gateway', url, token, pids, model: same };
}

/** Starts the yardstick. */
export async function startYardstick(
  simulator: StartedSimulator,
  signal: AbortSignal,
): Promise<Target & AsyncDisposable> {
  const child = new Child('bench/yardstick.ts', { UPSTREAM_URL: simulator.url }, 'inherit');
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(upMs)]);
    const { url } = await child.message<{ url: string }>(limit);
    return {
      name: 'yardstick',
      url,
      token: 'any',
      pids: { yardstick: child.pid },
      model: same,
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}

/** The names of targets that are always there. */
const own = ['direct', 'yardstick', 'gateway'];

const others = z.array(
  z.strictObject({
    name: z
      .string()
      .min(1)
      .refine(name => !own.includes(name), 'is a name of the bench itself'),
    url: z.url({ hostname: /^(localhost|127\.0\.0\.1|\[::1\])$/ }),
    token: z.string(),
    pids: z.array(z.int().positive()),
    /** Written before each model's name. */
    prefix: z.string().default(''),
  }),
);

/** Reads other gateways of this machine from a JSON file. @throws Error that names the file and the field */
export function readOthers(file: string): Target[] {
  const { success, data, error } = others.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!success) throw new Error(`${file}: ${z.prettifyError(error)}`);
  return data.map(({ name, url, token, pids, prefix }) => ({
    name,
    url,
    token,
    pids: Object.fromEntries(pids.map(pid => [String(pid), pid])),
    model: model => `${prefix}${model}`,
  }));
}

/** Samples the memory of a target until it is disposed of. */
export class MemoryWatch implements Disposable {
  /** The most memory that all processes of the target had at once, in MiB. */
  peakMb = 0;
  readonly #pids: Target['pids'];
  readonly #timer: NodeJS.Timeout;

  constructor({ pids }: Target) {
    this.#pids = pids;
    this.#look();
    this.#timer = setInterval(() => this.#look(), sampleMs);
  }

  #look(): void {
    try {
      this.peakMb = Math.max(this.peakMb, memoryOf(this.#pids).all);
    } catch {
      // A process has ended: the load fails and says why.
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
