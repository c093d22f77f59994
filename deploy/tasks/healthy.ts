import { get } from 'node:http';

/** Milliseconds that a process may take to say how it is. */
const timeout = 3_000;

// The health check of every service's container: what /readyz says, and 0 where that is good.
const request = get({ port: process.env.OPS_PORT, path: '/readyz', timeout }, response => {
  response.pipe(process.stdout);
  if (response.statusCode !== 200) process.exitCode = 1;
});
request.on('timeout', () => request.destroy(new Error(`/readyz did not answer within ${timeout} ms`)));
