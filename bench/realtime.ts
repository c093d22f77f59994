import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { Fleet } from '../test/fleet/fleet.ts';
import { Child } from './child.ts';
import { percentiles } from './figures.ts';
import { memoryOfEach } from './memory-of-each.ts';
import { cpuMsOf } from './process-usage.ts';

/** The number of clients that connect at once. */
const together = 50;
/** The longest time of an answer. */
const lateMs = 60_000;
const everyMs = 50;
/** The length of a text delta with its ids. */
const text = 'a delta of some words '.repeat(4);

export interface RealtimeOptions {
  /** Idle sessions, which show the memory of each. */
  idle: number;
  /** Sessions that exchange an event with the upstream twenty times a second. */
  active: number;
  /** The duration of a round. */
  seconds: number;
  rounds: number;
  /** The time after which memory is read. */
  settleMs: number;
}

type Latency = { p50: number; p99: number };

/** The cost of realtime sessions. */
export interface RealtimeFigures extends RealtimeOptions {
  /** Memory of an idle session, in KiB, by process. */
  sessionKb: Record<string, number>;
  /** The time from an event to its answer in milliseconds: the median of the rounds. */
  direct: Latency;
  gateway: Latency;
  /** The CPU time of an event and its answer in µs, by process. */
  eventCpuUs: Record<string, number>;
}

/** Measures a gateway of one front and one worker before an upstream that answers at once; all processes on this machine. */
export async function measureRealtime(
  options: RealtimeOptions,
  signal: AbortSignal,
): Promise<RealtimeFigures> {
  await using upstream = new Child('bench/realtime-upstream.ts', {}, 'inherit');
  const baseUrl = await upstream.message<string>(signal);
  await using fleet = await startFleet(baseUrl);
  const pids = { front: fleet.fronts[0]?.pid ?? 0, worker: fleet.workers[0]?.pid ?? 0, nats: fleet.nats.pid };
  const sessionKb = await memory(fleet, pids, options, signal);
  const spent: Record<string, number> = {};
  const rounds = { direct: [] as Latency[], gateway: [] as Latency[] };
  for (let round = 0; round < options.rounds; round++) {
    for (const target of round % 2 === 0
      ? (['direct', 'gateway'] as const)
      : (['gateway', 'direct'] as const)) {
      const origin = target === 'direct' ? baseUrl : `${fleet.fronts[0]?.url}/v1`;
      const before = cpuMs(pids);
      rounds[target].push(await latency(origin, fleet.token, options, signal));
      if (target === 'gateway')
        for (const [name, ms] of Object.entries(cpuMs(pids)))
          spent[name] = (spent[name] ?? 0) + ms - (before[name] ?? 0);
    }
  }
  const events = (options.rounds * options.active * options.seconds * 1_000) / everyMs;
  const eventCpuUs = Object.fromEntries(
    Object.entries(spent).map(([name, ms]) => [name, (ms * 1_000) / events]),
  );
  return {
    ...options,
    sessionKb,
    eventCpuUs,
    direct: median(rounds.direct),
    gateway: median(rounds.gateway),
  };
}

function startFleet(baseUrl: string): Promise<Fleet> {
  return Fleet.start({
    // All sessions have one token, which may take four fifths of the capacity, and one address.
    env: {
      GATEWAY_CAPACITY: '12500',
      GATEWAY_TOKEN_SOCKETS: '10000',
      GATEWAY_ADDRESS_CONNECTIONS: '0',
      GATEWAY_REALTIME_GRACE: '100ms',
    },
    catalog: () => `providers:
  - { name: up, kind: openai, baseUrl: "${baseUrl}", apiKey: { value: sk-up } }
models:
  - { name: voice, targets: [ { provider: up, model: gpt-realtime } ] }
`,
  });
}

function memory(
  fleet: Fleet,
  pids: Record<string, number>,
  { idle, settleMs }: RealtimeOptions,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const open = async (count: number) => {
    const sockets = await openMany(`${fleet.fronts[0]?.url}/v1`, fleet.token, count);
    return () => {
      for (const socket of sockets) socket.terminate();
    };
  };
  return memoryOfEach({ pids, count: idle, settleMs, open }, signal);
}

async function openMany(origin: string, token: string, count: number): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  const openSome = async () => {
    while (sockets.length < count) {
      const socket = open(origin, token);
      sockets.push(socket);
      await once(socket, 'message');
    }
  };
  await Promise.all(Array.from({ length: together }, openSome));
  return sockets;
}

function open(origin: string, token: string): WebSocket {
  const url = `${origin.replace(/^http/, 'ws')}/realtime?model=voice`;
  return new WebSocket(url, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
}

/** The time of each event's answer, while all sessions are active. */
async function latency(
  origin: string,
  token: string,
  { active, seconds }: RealtimeOptions,
  signal: AbortSignal,
): Promise<Latency> {
  const sockets = await openMany(origin, token, active);
  const times: number[] = [];
  await Promise.all(
    sockets.map(async (socket, i) => {
      await pause((i * everyMs) / active);
      times.push(...(await speak(socket, seconds, signal)));
    }),
  );
  for (const socket of sockets) socket.terminate();
  await pause(500);
  return percentiles(times);
}

async function speak(socket: WebSocket, seconds: number, signal: AbortSignal): Promise<number[]> {
  const sentAt = new Map<string, number>();
  const times: number[] = [];
  socket.on('message', data => {
    const { event_id: id } = JSON.parse(String(data));
    const at = sentAt.get(id);
    if (at !== undefined) times.push(performance.now() - at);
    sentAt.delete(id);
  });
  const count = (seconds * 1_000) / everyMs;
  const began = performance.now();
  for (let i = 0; i < count; i++) {
    sentAt.set(`e${i}`, performance.now());
    socket.send(JSON.stringify({ type: 'conversation.item.create', event_id: `e${i}`, text }));
    await pause(Math.max(0, began + (i + 1) * everyMs - performance.now()), undefined, { signal });
  }
  for (const giveUp = performance.now() + lateMs; sentAt.size > 0 && performance.now() < giveUp; )
    await pause(10);
  if (sentAt.size > 0) throw new Error(`${sentAt.size} events of a realtime session were not answered`);
  return times;
}

function cpuMs(pids: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuMsOf(pid)]));
}

function median(rounds: readonly Latency[]): Latency {
  const of = (read: (round: Latency) => number) => percentiles(rounds.map(read)).p50;
  return { p50: of(round => round.p50), p99: of(round => round.p99) };
}
