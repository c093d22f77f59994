import type { Service } from '@model-gateway/service';
import { z } from 'zod';
import { createApp } from './app.ts';
import { Realtime } from './realtime/realtime.ts';
import { Traffic } from './traffic.ts';

const config = z.object({
  /** Keeps the last requests, bodies and credentials included, for `GET /last`. */
  SIMULATOR_RECORD: z.enum(['0', '1']).default('0'),
});

/** An upstream that costs nothing and speaks the vendors' wire formats. */
export const simulator: Service<z.infer<typeof config>> = {
  name: 'simulator',
  config,
  isUpstream: true,
  async start(_context, { SIMULATOR_RECORD }) {
    const traffic = new Traffic(SIMULATOR_RECORD === '1');
    const realtime = new Realtime(traffic);
    return {
      handle: createApp(traffic),
      upgrade: realtime.upgrade,
      drain: () => realtime.drain(),
      close: async () => realtime.close(),
    };
  },
};
