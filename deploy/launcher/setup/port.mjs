import { createServer } from 'node:net';
import { Problem } from './steps.mjs';

/** The port of `npm start` unless PORT is set. */
export const defaultPort = 8080;

/** The address of every process unless HOST is set. */
const defaultHost = '127.0.0.1';

/**
 * Checks that clients can reach the gateway at PORT of HOST, before anything else is done.
 * @param {NodeJS.ProcessEnv} env
 * @throws Problem that says what to set
 */
export async function checkPort({ HOST: host = defaultHost, PORT }) {
  const port = Number(PORT ?? defaultPort);
  // An invalid one is reported when the settings are read.
  if (port === 0 || !Number.isInteger(port) || port > 65_535) return;
  const server = createServer();
  try {
    await new Promise((resolve, reject) => {
      server.once('error', reject).listen({ host, port, exclusive: true }, () => resolve(undefined));
    });
  } catch (error) {
    throw new Problem(explainPort(host, port, /** @type {NodeJS.ErrnoException} */ (error)));
  } finally {
    server.close();
  }
}

/**
 * Explains why a port cannot be bound.
 * @param {string} host
 * @param {number} port
 * @param {NodeJS.ErrnoException} error
 */
export function explainPort(host, port, error) {
  if (error.code !== 'EADDRINUSE') return `cannot listen on ${host}, port ${port}: ${error.message}`;
  return `port ${port} of ${host} is in use; set PORT to another one, or to 0 for any that is free`;
}
