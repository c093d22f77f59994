import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, type ServedCall, Server } from '../index.ts';

/** Sends a number every 20 ms, until the call is cancelled. */
async function count(call: ServedCall): Promise<void> {
  for (let i = 0; i < 5_000 && !call.signal.aborted; i++) {
    call.send([{ type: 'verbatim', bytes: Buffer.from(`${i} `) }]);
    await sleep(20);
  }
  call.send([{ type: 'finish', reason: 'stop', raw: 'stop', usage: null }]);
}

/** A worker in its own process. */
const bus = await connectBus({ url: process.env.NATS_URL as string, name: 'test-worker' });
await Server.open(bus, { pool: 'default', capacity: 100, serve: call => void count(call) });
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
