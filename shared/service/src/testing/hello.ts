import { z } from 'zod';
import { run } from '../run.ts';

/** A process that answers every request alike. */
await run({
  name: 'hello',
  config: z.object({}),
  start: async () => ({ handle: (_request, response) => response.end('hello') }),
});
