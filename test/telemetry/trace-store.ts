import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '@model-gateway/bus/testing';
import type { ReceivedSpan } from '../fleet/otlp-receiver.ts';
import { Program } from '../upstreams/program.ts';

const version = 'v1.76.0';
const source = 'github.com/jaegertracing/jaeger/cmd/all-in-one';
const folder = resolve(import.meta.dirname, `../../.cache/jaeger-${version}`);
const built = join(folder, 'jaeger');

/** Returns the program of Jaeger: JAEGER_BIN, or one that is built by Go once, without the pages of its UI. */
export function jaegerProgram(): string {
  const { JAEGER_BIN: given } = process.env;
  if (given) return given;
  if (!existsSync(built)) build();
  return built;
}

/** `go install` refuses Jaeger, whose module replaces others. As a tool of a module it can be built. */
function build(): void {
  const module = mkdtempSync(join(tmpdir(), 'gateway-jaeger-'));
  mkdirSync(folder, { recursive: true });
  try {
    for (const args of [
      ['mod', 'init', 'example.test/jaeger'],
      ['get', '-tool', `${source}@${version}`],
      ['build', '-o', built, source],
    ]) {
      const { status, stderr } = spawnSync('go', args, { cwd: module, encoding: 'utf8' });
      if (status !== 0) throw new Error(`Jaeger was not built:\n${stderr.slice(-4_000)}`);
    }
  } finally {
    rmSync(module, { recursive: true, force: true });
  }
}

/** A span that the store returns. */
export type StoredSpan = Pick<ReceivedSpan, 'spanId' | 'parentId' | 'name' | 'attributes' | 'service'>;

/** A trace as Jaeger's API for its UI returns it: https://www.jaegertracing.io/docs/1.76/architecture/apis/ */
interface JaegerTrace {
  spans: {
    spanID: string;
    operationName: string;
    processID: string;
    references: { refType: string; spanID: string }[];
    tags: { key: string; value: unknown }[];
  }[];
  processes: Record<string, { serviceName: string }>;
}

/** A real trace store: Jaeger, which keeps traces in memory. */
export class TraceStore implements AsyncDisposable {
  /** The host and port that take traces by OTLP over gRPC. */
  readonly address: string;
  readonly #url: string;
  readonly #program: Program;

  private constructor(address: string, url: string, program: Program) {
    this.address = address;
    this.#url = url;
    this.#program = program;
  }

  static async start(): Promise<TraceStore> {
    const ports: Record<string, number> = {};
    for (const name of [
      ...['admin.http', 'query.http-server', 'query.grpc-server', 'collector.otlp.grpc'],
      ...['collector.otlp.http', 'collector.grpc-server', 'collector.http-server'],
    ])
      ports[name] = await freePort();
    const args = Object.entries(ports).map(([name, port]) => `--${name}.host-port=127.0.0.1:${port}`);
    const program = await Program.start([jaegerProgram(), ...args], {
      port: ports['admin.http'] as number,
      healthPath: '/',
      env: { SPAN_STORAGE_TYPE: 'memory' },
    });
    const url = `http://127.0.0.1:${ports['query.http-server']}`;
    return new TraceStore(`127.0.0.1:${ports['collector.otlp.grpc']}`, url, program);
  }

  /** Returns the traces that have a span of a service with an attribute, each as its spans. */
  async find(service: string, attribute: string, value: string | null): Promise<StoredSpan[][]> {
    const query = new URLSearchParams({ service, tags: JSON.stringify({ [attribute]: value }) });
    const response = await fetch(`${this.#url}/api/traces?${query}`);
    const { data } = (await response.json()) as { data: JaegerTrace[] };
    return data.map(({ spans, processes }) =>
      spans.map(({ spanID, operationName, processID, references, tags }) => ({
        spanId: spanID,
        parentId: references.find(({ refType }) => refType === 'CHILD_OF')?.spanID ?? '',
        name: operationName,
        attributes: Object.fromEntries(tags.map(({ key, value }) => [key, value])),
        service: processes[processID]?.serviceName ?? '',
      })),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#program[Symbol.asyncDispose]();
  }
}
