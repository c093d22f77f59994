import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Someone who calls the gateway. */
export type Caller = 'client' | 'admin';

export interface Options {
  python: string;
  token: string;
  baseUrl: string;
  /** The file with the OpenAPI document. */
  document: string;
  /** Number of examples for each operation. */
  examples: number;
  /** True to try also the edges of every field, which takes some minutes. */
  coverage: boolean;
  /** The time that a run may take, in milliseconds. */
  ms: number;
}

/** A request that was sent, and the status of its answer. */
export interface Interaction {
  /** The operation, such as `GET /api/v1/tokens`. */
  label: string;
  uri: string;
  status: number;
}

/** The answers that a run got, and the failures that it prints; undefined if there are none. */
export interface Ran {
  interactions: Interaction[];
  failures: string | undefined;
}

const conformance = [
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
];

/** Lets Schemathesis call every operation as a caller: the client those of the data plane, the admin those of the admin API. */
export async function schemathesis(caller: Caller, options: Options): Promise<Ran> {
  const { python, token, baseUrl, document, examples, coverage, ms } = options;
  const report = mkdtempSync(join(tmpdir(), 'schemathesis-'));
  const isClient = caller === 'client';
  const strict = isClient ? [] : ['negative_data_rejection'];
  const args = [
    // The environment was moved after it was made, so its programs have wrong paths.
    ...['-m', 'schemathesis.cli', 'run', document, '--url', baseUrl],
    ...['-H', `authorization: Bearer ${token}`],
    ...[isClient ? '--exclude-path-regex' : '--include-path-regex', '^/api/'],
    // They would end the session of the caller.
    ...['signOut', 'changePassword'].flatMap(id => ['--exclude-operation-id', id]),
    ...['--checks', [...conformance, ...strict].join()],
    ...['--phases', coverage ? 'examples,coverage,fuzzing' : 'examples,fuzzing'],
    ...['--max-examples', String(examples), '--seed', '1', '--continue-on-failure', '--warnings', 'off'],
    ...['--suppress-health-check', 'all', '--request-timeout', '20'],
    ...['--report', 'ndjson', '--report-dir', report, '--no-color'],
  ];
  try {
    const failures = await run(python, args, { timeout: ms, maxBuffer: 64 << 20, cwd: report }).then(
      () => undefined,
      ({ stdout, message }) => String(stdout || message).slice(-20_000),
    );
    const files = globSync('*.ndjson', { cwd: report });
    return { interactions: files.flatMap(file => interactions(join(report, file))), failures };
  } finally {
    rmSync(report, { recursive: true, force: true });
  }
}

interface Recorded {
  request: { uri: string };
  response: { status_code: number } | null;
}
interface Event {
  ScenarioFinished?: { recorder?: { label: string; interactions?: Record<string, Recorded> } };
}

function interactions(file: string): Interaction[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.flatMap(line => {
    const { recorder } = (JSON.parse(line) as Event).ScenarioFinished ?? {};
    return Object.values(recorder?.interactions ?? {}).flatMap(({ request, response }) =>
      response && recorder ? [{ label: recorder.label, uri: request.uri, status: response.status_code }] : [],
    );
  });
}
