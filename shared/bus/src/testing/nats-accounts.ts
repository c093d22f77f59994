import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { dial } from '../connection.ts';
import { killNatsProcess, logFile, type NatsProcess, startNatsProcess } from './nats-process.ts';
import { accountUrl, checkRefused, testAccounts } from './nats-users.ts';

/** A real nats-server with JetStream, or an account at one. */
export interface NatsServer {
  /** By it a client may do everything. Services connect by `urlFor`, with their own permissions. */
  url: string;
  /** Removes what is stored. @throws Error if the server denied a subject to a service */
  stop(): Promise<void>;
}

/** The accounts of a server. Each takes 2 ms of its start and half a megabyte of its memory. */
const accountsOfServer = 32;

/** A server that all tests of this process use until its accounts are used up. */
let shared: SharedServer | undefined;

/** Returns an empty account, which nothing else uses before or after, at the nats-server that the tests of this process share. */
export async function startNats(): Promise<NatsServer> {
  if (!shared?.hasAccount) shared = new SharedServer();
  return shared.take();
}

class SharedServer {
  readonly #dir = mkdtempSync(join(tmpdir(), 'gateway-nats-'));
  readonly #unused = Array.from({ length: accountsOfServer }, (_, number) => `test${number}`);
  readonly #process: Promise<NatsProcess>;
  /** The number of accounts that a test uses. */
  #used = 0;

  constructor() {
    // The streams of all accounts reserve room together.
    const config = `jetstream { max_file_store: 10TB }\n${testAccounts(this.#unused)}`;
    this.#process = startNatsProcess(this.#dir, -1, config);
  }

  get hasAccount(): boolean {
    return this.#unused.length > 0;
  }

  async take(): Promise<NatsServer> {
    const account = this.#unused.shift() as string;
    this.#used++;
    const { port } = await this.#process;
    const url = accountUrl(`nats://127.0.0.1:${port}`, account);
    return { url, stop: () => this.#return(account, url) };
  }

  async #return(account: string, url: string): Promise<void> {
    await removeStreams(url);
    try {
      checkRefused(logFile(this.#dir), account);
    } finally {
      if (--this.#used === 0 && !this.hasAccount) await this.#end();
    }
  }

  async #end(): Promise<void> {
    await killNatsProcess(await this.#process);
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

async function removeStreams(url: string): Promise<void> {
  const connection = await dial({ url, name: 'test' }, 'stop');
  const { streams } = await jetstreamManager(connection, { timeout: 60_000 });
  for await (const name of streams.names()) await streams.delete(name);
  await connection.close();
}
