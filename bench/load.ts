import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from './answer-reader.ts';
import { chatText } from './chat-text.ts';
import { Connection } from './connection.ts';
import { messagesText } from './messages-text.ts';
import { paths, requestBody, type Scenario } from './scenarios.ts';

/** Clients start at different times within this period, as real ones do. */
const spreadMs = 97;

/** A load to put on a server. */
export interface Job {
  scenario: Scenario;
  /** `http://host:port`. */
  origin: string;
  token: string;
  /** The period in which new requests begin; running requests are then awaited. */
  seconds: number;
  /** The text that each response must have. */
  expected: string;
}

/** The clients' observations, one number a request. */
export interface Seen {
  seconds: number;
  /** Milliseconds to the first bytes of the response's body. */
  firstMs: number[];
  /** Milliseconds to its end. */
  endMs: number[];
  /** Milliseconds between two reads of a paced response; empty for other scenarios. */
  gapsMs: number[];
}

/** Puts a load on a server; rejects at the first unexpected response. */
export async function load(job: Job): Promise<Seen> {
  const { clients } = job.scenario;
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(job.origin)));
  const seen: Seen = { seconds: 0, firstMs: [], endMs: [], gapsMs: [] };
  const began = performance.now();
  const until = began + job.seconds * 1_000;
  try {
    await Promise.all(
      connections.map(async (connection, i) => {
        await pause((i * spreadMs) / clients);
        await ask(connection, job, until, seen);
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
  seen.seconds = (performance.now() - began) / 1_000;
  return seen;
}

async function ask(connection: Connection, job: Job, until: number, seen: Seen): Promise<void> {
  const request = requestBytes(job);
  for (let began = performance.now(); began < until; began = performance.now()) {
    const answer = await connection.send(request);
    seen.firstMs.push(answer.firstAt - began);
    seen.endMs.push(answer.endedAt - began);
    // Not `push(...gaps)`: there may be more than a call takes arguments.
    if (job.scenario.paced) for (const gap of answer.gapsMs) seen.gapsMs.push(gap);
    check(answer, job);
  }
}

function check({ status, body }: Answer, { scenario, expected }: Job): void {
  if (status !== 200) throw new Error(`${scenario.name}: status ${status}: ${body}`);
  const text = scenario.client === 'chat' ? chatText(body, scenario.chunks !== null) : messagesText(body);
  if (text !== expected)
    throw new Error(`${scenario.name}: an answer differs\nexpected: ${expected}\nreceived: ${text}`);
}

/** The bytes of a request of a client. */
export function requestBytes({
  scenario,
  origin,
  token,
}: Pick<Job, 'scenario' | 'origin' | 'token'>): Buffer {
  const body = requestBody(scenario);
  const head = [
    `POST ${paths[scenario.client]} HTTP/1.1`,
    `Host: ${new URL(origin).host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    ...(scenario.client === 'messages' ? ['anthropic-version: 2023-06-01'] : []),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
