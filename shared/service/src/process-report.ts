import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, totalmem } from 'node:os';
import { answerQuestions, type Bus, processSubjects } from '@model-gateway/bus';
import { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };
import type { Running } from './service.ts';

/** The most problems and notices in a report, and the most characters of each. */
const most = { sentences: 20, characters: 500 };

const sentences = z.array(z.string().transform(text => text.slice(0, most.characters))).max(most.sentences);

/** The report of a process about itself. A later version may add fields. */
export const processReport = z.object({
  service: z.string(),
  host: z.string(),
  pid: z.number(),
  /** The version of the gateway, and that of Node without its `v`. */
  version: z.string(),
  node: z.string(),
  /** The process's clock and its start, in milliseconds since 1970. */
  at: z.number(),
  startedAt: z.number(),
  /** In bytes. The limit is that of its container, or the memory of the machine. */
  memory: z.object({ used: z.number(), limit: z.number() }),
  /** The end of its own TLS certificate, in milliseconds since 1970; null for a process without one. */
  certificateEndsAt: z.nullable(z.number()),
  /** The reasons why it cannot work now, and what an operator should know although it works. */
  problems: sentences,
  notices: sentences,
  /** Facts of the service. */
  facts: z.record(z.string(), z.unknown()),
});
export type ProcessReport = z.infer<typeof processReport>;

/** The version of the gateway that this process runs. */
export const gatewayVersion = manifest.version;

/** Makes the report of this process. `certificate`: the path of its certificate. */
export function reportProcess(
  service: string,
  running: Pick<Running, 'problems' | 'notices' | 'facts'> | undefined,
  certificate?: string,
): ProcessReport {
  const starting = ['is starting'];
  return {
    ...{ service, host: hostname(), pid: process.pid },
    ...{ version: gatewayVersion, node: process.versions.node },
    ...{ at: Date.now(), startedAt: Math.round(performance.timeOrigin) },
    memory: { used: process.memoryUsage.rss(), limit: memoryLimit() },
    certificateEndsAt: certificate === undefined ? null : endOf(certificate),
    problems: bounded(running ? (running.problems?.() ?? []) : starting),
    notices: bounded(running?.notices?.() ?? []),
    facts: running?.facts?.() ?? {},
  };
}

/** Answers control's questions about this process. */
export function answerAboutProcess(bus: Bus, report: () => ProcessReport): void {
  answerQuestions(bus, { subjects: processSubjects }, async () => report());
}

function memoryLimit(): number {
  // Larger than the machine's if the container has none.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}

function endOf(certificate: string): number | null {
  try {
    return new X509Certificate(readFileSync(certificate)).validToDate.getTime();
  } catch {
    return null;
  }
}

function bounded(texts: readonly string[]): string[] {
  return texts.slice(0, most.sentences).map(text => text.slice(0, most.characters));
}
