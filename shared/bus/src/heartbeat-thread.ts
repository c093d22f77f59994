import { parentPort, workerData } from 'node:worker_threads';
import { dial } from './connection.ts';
import { protocolVersion } from './frame.ts';
import { type HeartbeatThreadData, heartbeatMs, heartbeatState } from './liveness.ts';
import type { HeartbeatMessage } from './protocol.ts';

const { bus, subject, state, stuckMs } = workerData as HeartbeatThreadData;
const connection = await dial(bus, 'beats');

let turns = -1;
let turnedAt = Date.now();

setInterval(() => {
  const now = Date.now();
  const turnsNow = Atomics.load(state, heartbeatState.turns);
  if (turnsNow !== turns) turnedAt = now;
  turns = turnsNow;
  const silent = Atomics.load(state, heartbeatState.silent) === 1;
  if (silent || now - turnedAt > stuckMs || connection.isClosed()) return;
  const heartbeat: HeartbeatMessage = {
    load: Atomics.load(state, heartbeatState.load),
    capacity: Atomics.load(state, heartbeatState.capacity),
    version: protocolVersion,
  };
  connection.publish(subject, JSON.stringify(heartbeat));
}, heartbeatMs);
parentPort?.postMessage('beats');
