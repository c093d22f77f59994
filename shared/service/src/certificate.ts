import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type Server } from 'node:tls';
import { ConfigError } from './config.ts';

/** Where a certificate, with the chain above it, and its private key lie, as PEM files. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

interface Pem {
  cert: string;
  key: string;
}

const lookMs = 5_000;

/** What a port needs to speak TLS. */
export class Certificate {
  readonly #files: CertificateFiles;
  #pem: Pem;

  /** @throws ConfigError where the files cannot be read or do not fit each other */
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
   * Gives a server what the files hold within seconds of their change; connections that are there stay. `told` hears of
   * each change; files that cannot be used, as when only one of the two is new yet, change nothing and are told as a problem.
   */
  follow(server: Server, told: (problem: string | null) => void, everyMs = lookMs): void {
    let last: string | null = null;
    const look = async () => {
      const pem = await readBoth(this.#files).catch((error: Error) => error);
      const problem = pem instanceof Error ? pem.message : problemOf(pem);
      if (problem !== null && problem !== last) told(problem);
      last = problem;
      if (pem instanceof Error || problem !== null || this.#is(pem)) return;
      this.#pem = pem;
      server.setSecureContext(this.options);
      told(null);
    };
    const timer = setInterval(() => void look(), everyMs).unref();
    server.once('close', () => clearInterval(timer));
  }

  #is({ cert, key }: Pem): boolean {
    return cert === this.#pem.cert && key === this.#pem.key;
  }
}

/**
 * The files that settings name, if any.
 * @throws ConfigError where there is only one of the two
 */
export function certificateFiles(settings: {
  GATEWAY_TLS_CERT?: string | undefined;
  GATEWAY_TLS_KEY?: string | undefined;
}): CertificateFiles | undefined {
  const { GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key } = settings;
  if (cert && key) return { cert, key };
  if (cert) throw new ConfigError('GATEWAY_TLS_KEY: is needed where GATEWAY_TLS_CERT is set');
  if (key) throw new ConfigError('GATEWAY_TLS_CERT: is needed where GATEWAY_TLS_KEY is set');
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

/** Why a server could not use them; null if it can. */
function problemOf(pem: Pem): string | null {
  try {
    createSecureContext(optionsOf(pem));
    return null;
  } catch (error) {
    return `cannot be used: ${(error as Error).message}`;
  }
}
