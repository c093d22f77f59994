import { z } from 'zod';
import { run } from '../run.ts';

/** A process that sends the same response to every request. */
await run({
  name: 'hello',
  config: z.object({}),
  start: async () => ({ handle: (_request, response) => response.end('hello') }),
});
