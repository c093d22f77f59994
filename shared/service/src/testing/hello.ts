import { run } from '../run.ts';

/** A process that sends the same response to every request. */
await run({
  name: 'hello',
  settings: [],
  start: async () => ({ handle: (_request, response) => response.end('hello') }),
});
