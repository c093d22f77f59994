import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { startGateway } from './gateway.ts';
import { requestBytes } from './load.ts';
import { memoryOfEach } from './memory-of-each.ts';
import type { Scenario } from './scenarios.ts';
import { startSimulator } from './simulator.ts';

/** The number of clients that connect at once. */
const together = 50;
/** The longest time to the first part of an answer, in milliseconds. */
const lateMs = 60_000;

/** Streams whose second chunk is ten minutes away. */
const scenario: Scenario = {
  name: 'idle-streams',
  title: 'streams without a chunk for minutes',
  client: 'chat',
  model: 'sim-t2-i600s',
  clients: together,
  chunks: 2,
};

export interface IdleStreamOptions {
  streams: number;
  /** The time after which memory is read, in milliseconds. */
  settleMs: number;
}

/** The cost of streams that wait for their upstream. */
export interface IdleStreamFigures extends IdleStreamOptions {
  /** Memory of one stream, in KiB, by process. */
  streamKb: Record<string, number>;
}

/** Measures a gateway as `npm start` runs it. */
export async function measureIdleStreams(
  { streams, settleMs }: IdleStreamOptions,
  signal: AbortSignal,
): Promise<IdleStreamFigures> {
  await using simulator = await startSimulator(signal);
  // All streams have one token, which may take four fifths of the capacity, and one address.
  const limits = {
    GATEWAY_CAPACITY: String(2 * streams),
    GATEWAY_TOKEN_REQUESTS: String(2 * streams),
    GATEWAY_ADDRESS_CONNECTIONS: '0',
  };
  await using gateway = await startGateway(simulator.url, signal, limits);
  const request = requestBytes({ scenario, origin: gateway.url, token: gateway.token });
  const open = async (count: number) => {
    const sockets = await openMany(gateway.url, request, count);
    return () => {
      for (const socket of sockets) socket.destroy();
    };
  };
  const streamKb = await memoryOfEach({ pids: gateway.pids, count: streams, settleMs, open }, signal);
  return { streams, settleMs, streamKb };
}

async function openMany(origin: string, request: Buffer, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  let left = count;
  const openSome = async () => {
    while (left-- > 0) sockets.push(await openOne(origin, request));
  };
  await Promise.all(Array.from({ length: together }, openSome));
  return sockets;
}

/** Resolves with the connection once the first part of the answer has come. */
async function openOne(origin: string, request: Buffer): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const late = AbortSignal.timeout(lateMs);
  socket.write(request);
  for (let seen = ''; !seen.includes('\ndata: '); ) {
    const [bytes] = (await once(socket, 'data', { signal: late })) as [Buffer];
    seen += bytes.toString('latin1');
    if (!seen.startsWith('HTTP/1.1 200')) throw new Error(`a stream was refused: ${seen}`);
  }
  socket.on('data', () => {});
  socket.on('error', () => {});
  return socket;
}
