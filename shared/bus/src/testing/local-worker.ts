import type { Bus } from '../connection.ts';
import type { ServedCall } from '../served-call.ts';
import { Server } from '../server.ts';
import type { PassingTime } from './passing-time.ts';

/** A worker in the process of the test, with connections of its own. */
export interface LocalWorker {
  readonly bus: Bus;
  readonly server: Server;
  /** The calls that it was given to serve, in order. */
  readonly calls: readonly ServedCall[];
  /** Ends it as a process that is killed: its connections close, and nothing more is sent. */
  kill(): Promise<void>;
}

export async function startWorker(
  time: PassingTime,
  url: string,
  serve: (call: ServedCall) => void,
  capacity = 100,
): Promise<LocalWorker> {
  const bus = await time.connect(url, 'worker');
  const calls: ServedCall[] = [];
  const server = await Server.open(bus, {
    pool: 'default',
    capacity,
    serve(call) {
      calls.push(call);
      serve(call);
    },
  });
  await time.arrive();
  const kill = async () => void (await Promise.all([bus.calls.close(), bus.state.close()]));
  return { bus, server, calls, kill };
}
