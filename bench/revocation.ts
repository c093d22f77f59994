import { setTimeout as sleep } from 'node:timers/promises';
import { ask, errorOf, openStream } from '../test/fleet/clients.ts';
import { Fleet, type FleetProcess } from '../test/fleet/fleet.ts';
import { percentiles } from './figures.ts';
import type { ClientFormat } from './scenarios.ts';

const formats: readonly ClientFormat[] = ['chat', 'messages'];
/** A stream that is longer than a round. */
const model = 'sim-t3000-i20ms';
const lateMs = 30_000;
const warmUpRounds = 5;
/** The most rounds in a row that begin anew because the worker of a stream was lost, as on a busy machine. */
const mostLost = 5;

/** Milliseconds of each round, from the response to the DELETE until the last front refuses the token. */
export interface RevocationSeen {
  /** Until a request with the token is refused. */
  refusedMs: number[];
  /** Until a running stream has ended with an error. */
  endedMs: number[];
}

/** The same as figures, in milliseconds. */
export interface RevocationFigures {
  rounds: number;
  refusedMs: { p50: number; p99: number };
  endedMs: { p50: number; p99: number };
}

/** Measures a fleet of three fronts, each a process. */
export async function measureRevocation(rounds: number, signal: AbortSignal): Promise<RevocationFigures> {
  await using fleet = await Fleet.start({ fronts: 3 });
  await revokeOften(fleet, warmUpRounds, signal);
  const { refusedMs, endedMs } = await revokeOften(fleet, rounds, signal);
  return { rounds, refusedMs: percentiles(refusedMs), endedMs: percentiles(endedMs) };
}

/** Revokes a token in each round, with a running stream at every front; formats alternate. */
export async function revokeOften(
  fleet: Fleet,
  rounds: number,
  signal?: AbortSignal,
): Promise<RevocationSeen> {
  const seen: RevocationSeen = { refusedMs: [], endedMs: [] };
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    const { refusedMs, endedMs } = await revokeWhole(fleet, formats[round % 2] as ClientFormat);
    seen.refusedMs.push(refusedMs);
    seen.endedMs.push(endedMs);
  }
  return seen;
}

/** Repeats a round in which a stream ended because its worker was lost. */
async function revokeWhole(fleet: Fleet, format: ClientFormat) {
  for (let lost = 0; ; lost++) {
    try {
      return await revokeOnce(fleet, format);
    } catch (error) {
      if (lost === mostLost || !/worker was lost/.test(String(error))) throw error;
    }
  }
}

async function revokeOnce(fleet: Fleet, format: ClientFormat) {
  const { id, token } = await fleet.createToken();
  const streams = await Promise.all(fleet.fronts.map(({ url }) => openStream(url, token, { model, format })));
  const { status } = await fleet.admin('DELETE', `/tokens/${id}`);
  const answeredAt = performance.now();
  if (status !== 204) throw new Error(`the DELETE was answered ${status}`);
  const refused = await Promise.all(fleet.fronts.map(front => refusal(front, token, format)));
  const ended = await Promise.all(streams.map(stream => stream.ended));
  for (const { text } of ended) {
    if (errorOf(text)?.message !== 'This API key was revoked.')
      throw new Error(`a stream ended with: ${text.slice(-300)}`);
  }
  const since = (times: number[]) => Math.max(0, ...times.map(at => at - answeredAt));
  return { refusedMs: since(refused), endedMs: since(ended.map(({ at }) => at)) };
}

/** Sends requests until the token is refused; returns that time. */
export async function refusal(front: FleetProcess, token: string, format: ClientFormat): Promise<number> {
  for (const giveUp = performance.now() + lateMs; performance.now() < giveUp; await sleep(1)) {
    const response = await ask(front.url, token, { model: 'sim-t1', format });
    const text = await response.text();
    if (response.status === 401) return performance.now();
    if (response.status !== 200) throw new Error(`a question was answered ${response.status}: ${text}`);
  }
  throw new Error('a revoked token was not refused');
}
