import { get } from 'node:http';

/** The timeout of `/readyz`, in milliseconds. */
const timeout = 3_000;

// The health check of every service's container: prints the response of /readyz, and exits with 0 if it is 200.
const request = get({ port: process.env.OPS_PORT, path: '/readyz', timeout }, response => {
  response.pipe(process.stdout);
  if (response.statusCode !== 200) process.exitCode = 1;
});
request.on('timeout', () => request.destroy(new Error(`/readyz did not answer within ${timeout} ms`)));
