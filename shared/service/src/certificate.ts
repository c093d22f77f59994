import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type Server } from 'node:tls';
import { type Clock, systemClock } from '@model-gateway/clock';
import { ConfigError } from './config.ts';
import { FileWatcher } from './file-watcher.ts';
import type { Settings } from './settings.ts';

/** Paths of two PEM files: a certificate with its chain, and its private key. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

interface Pem {
  cert: string;
  key: string;
}

/** Time for both files to be replaced. */
const settleMs = 1_000;
const pollMs = 5_000;

/** The certificate and private key of a TLS port. */
export class Certificate {
  readonly #files: CertificateFiles;
  #pem: Pem;

  /** @throws ConfigError if the files cannot be read or do not match */
  constructor(files: CertificateFiles) {
    this.#files = files;
    this.#pem = {
      cert: readPem('GATEWAY_TLS_CERT', files.cert),
      key: readPem('GATEWAY_TLS_KEY', files.key),
    };
    const problem = problemOf(this.#pem);
    if (problem) throw new ConfigError(`GATEWAY_TLS_CERT, GATEWAY_TLS_KEY: ${problem}`);
  }

  get options() {
    return optionsOf(this.#pem);
  }

  /**
   * Applies changed files to a server within seconds; open connections stay. Calls `report` with null after
   * each change. If the files cannot be used, for example while only one of the two is new, nothing changes
   * and `report` gets the problem.
   */
  follow(server: Server, report: (problem: string | null) => void, clock: Clock = systemClock): void {
    let last: string | null = null;
    const check = async () => {
      const pem = await readBoth(this.#files).catch((error: Error) => error);
      const problem = pem instanceof Error ? pem.message : problemOf(pem);
      if (problem !== null && problem !== last) report(problem);
      last = problem;
      if (pem instanceof Error || problem !== null || this.#is(pem)) return;
      this.#pem = pem;
      server.setSecureContext(this.options);
      report(null);
    };
    const { cert, key } = this.#files;
    const watcher = new FileWatcher({ paths: [cert, key], settleMs, pollMs, check, clock });
    server.once('close', () => void watcher.close());
  }

  #is({ cert, key }: Pem): boolean {
    return cert === this.#pem.cert && key === this.#pem.key;
  }
}

/**
 * Returns the files that the settings name, if any.
 * @throws ConfigError if only one of the two is set
 */
export function certificateFiles(
  settings: Settings<'GATEWAY_TLS_CERT' | 'GATEWAY_TLS_KEY'>,
): CertificateFiles | undefined {
  const { GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key } = settings;
  if (cert && key) return { cert, key };
  if (cert) throw new ConfigError('GATEWAY_TLS_KEY: is required if GATEWAY_TLS_CERT is set');
  if (key) throw new ConfigError('GATEWAY_TLS_CERT: is required if GATEWAY_TLS_KEY is set');
  return undefined;
}

function optionsOf(pem: Pem) {
  return { ...pem, minVersion: 'TLSv1.2' } as const;
}

function readPem(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${setting}: ${unreadable(path, error)}`);
  }
}

async function readBoth(files: CertificateFiles): Promise<Pem> {
  const read = (path: string) =>
    readFile(path, 'utf8').catch(error => Promise.reject(new Error(unreadable(path, error))));
  const [cert, key] = await Promise.all([read(files.cert), read(files.key)]);
  return { cert, key };
}

function unreadable(path: string, error: unknown): string {
  return `${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`;
}

/** Returns the reason why a server cannot use the files; null if it can. */
function problemOf(pem: Pem): string | null {
  try {
    createSecureContext(optionsOf(pem));
    return null;
  } catch (error) {
    return `cannot be used: ${(error as Error).message}`;
  }
}
