import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, lostMs, type ServedCall, Server } from '../index.ts';

/** A worker in its own process. The model's name selects its behaviour; it reports the progress of its calls. */
const bus = await connectBus({ url: process.env.NATS_URL as string, name: 'test-worker' });
const finish = { type: 'finish', reason: 'stop', raw: 'stop', usage: null } as const;
const verbatim = (bytes: Uint8Array) => ({ type: 'verbatim', bytes }) as const;

const answers: Record<string, (call: ServedCall) => Promise<void>> = {
  async echo(call) {
    call.send([verbatim(call.body), finish]);
  },
  async slow(call) {
    call.signal.addEventListener('abort', () => process.send?.('cancelled'));
    for (let i = 0; i < 5_000 && !call.signal.aborted; i++) {
      call.send([verbatim(Buffer.from(`${i} `))]);
      await sleep(20);
    }
    call.send([finish]);
  },
  async flood(call) {
    const piece = Buffer.alloc(50_000, 'x');
    let sent = 0;
    for (; sent < 400 && !call.signal.aborted; sent++) {
      process.send?.({ sent });
      if (!call.send([verbatim(piece)])) await call.drained;
    }
    call.send([finish]);
  },
  /** Answers with the length of a streamed body, of which it reads a piece every `x-pause` milliseconds. */
  async count(call) {
    let bytes = 0;
    for await (const piece of call.incoming?.bytes() ?? []) {
      bytes += piece.length;
      process.send?.({ bytes });
      await sleep(Number(call.envelope.headers['x-pause'] ?? 0));
    }
    process.send?.(call.signal.aborted ? 'cancelled' : 'whole');
    call.send([verbatim(Buffer.from(String(bytes))), finish]);
  },
  /** A session that returns each message, text as text. */
  async parrot(call) {
    for await (const { data, text } of call.incoming?.messages() ?? []) {
      if (!call.sendMessage(data, text)) await call.drained;
    }
    process.send?.(call.signal.aborted ? 'cancelled' : 'closed');
    call.send([finish]);
  },
  /** Blocks the process's event loop for longer than `lostMs`. */
  async busy(call) {
    await sleep(10);
    const until = Date.now() + 2 * lostMs;
    while (Date.now() < until);
    call.send([verbatim(Buffer.from('done')), finish]);
  },
  async silent(call) {
    call.signal.addEventListener('abort', () => process.send?.('cancelled'));
  },
};

const server = await Server.open(bus, {
  pool: process.env.POOL ?? 'default',
  capacity: Number(process.env.CAPACITY ?? 100),
  serve: call => {
    process.send?.({ serving: call.envelope.model });
    void answers[call.envelope.model]?.(call);
  },
});
process.on('message', async message => {
  if (message === 'reconnect') await bus.calls.reconnect();
  if (message !== 'drain') return;
  await server.drain();
  process.send?.('drained');
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
