import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Access, openAccess, type TokenRecord } from '@model-gateway/access';
import { type BucketName, type Bus, connectBus, watchBucket } from '@model-gateway/bus';
import { type NatsServer, type OwnNatsServer, startNats, startOwnNats } from '@model-gateway/bus/testing';
import { type Catalog, openCatalog } from '@model-gateway/catalog';
import { createLog } from '@model-gateway/service';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { type StartOptions, startControl, type TestControl, until } from './control.ts';
import { newDataFolder } from './data-folder.ts';
import { newPostgresDatabase } from './shared-postgres.ts';

/** The environment of a test of control: a nats-server, a reader's connection, controls and their folders. */
export class Stage<Nats extends NatsServer = NatsServer> {
  readonly nats: Nats;
  readonly bus: Bus;
  readonly #cleanups: (() => Promise<void> | void)[] = [];

  private constructor(nats: Nats, bus: Bus) {
    this.nats = nats;
    this.bus = bus;
  }

  static async set(): Promise<Stage> {
    return Stage.#at(await startNats());
  }

  /** One whose nats-server the test may pause and restart. */
  static async withOwnNats(): Promise<Stage<OwnNatsServer>> {
    return Stage.#at(await startOwnNats());
  }

  static async #at<Nats extends NatsServer>(nats: Nats): Promise<Stage<Nats>> {
    return new Stage(nats, await connectBus({ url: nats.url, name: 'reader' }));
  }

  /** Creates a data folder with an embedded database. */
  async folder(): Promise<string> {
    return this.#removed(await newDataFolder());
  }

  /** Creates an empty folder, as for a control on PostgreSQL. */
  emptyFolder(): string {
    return this.#removed(mkdtempSync(join(tmpdir(), 'control-')));
  }

  /** Creates a database on PostgreSQL, and returns its URL: with control's tables unless `empty`. */
  async postgres(options?: { empty?: boolean }): Promise<string> {
    const { url, drop } = await newPostgresDatabase(options);
    this.#cleanups.push(drop);
    return url;
  }

  /** Creates a data folder with a gateway.yaml, and returns both as settings. */
  async withCatalog(text: string): Promise<{ GATEWAY_DATA: string; GATEWAY_CONFIG: string }> {
    const GATEWAY_DATA = await this.folder();
    const GATEWAY_CONFIG = join(GATEWAY_DATA, 'gateway.yaml');
    writeFileSync(GATEWAY_CONFIG, text);
    return { GATEWAY_DATA, GATEWAY_CONFIG };
  }

  async control(env: Record<string, string>, options?: StartOptions): Promise<TestControl> {
    const control = await startControl(this.nats.url, env, options);
    this.#cleanups.push(control.stop);
    return control;
  }

  /** Stops a control, changes its embedded database as no endpoint does, and starts it again. */
  async startChanged(
    control: TestControl,
    env: { GATEWAY_DATA: string },
    change: (db: Database) => PromiseLike<unknown>,
  ): Promise<TestControl> {
    await control.stop();
    const settings = { GATEWAY_DATA: env.GATEWAY_DATA, DATABASE_URL: undefined };
    const { db, close } = await openDatabase(settings, createLog('control', 'silent'));
    try {
      await change(db);
    } finally {
      await close();
    }
    return this.control(env);
  }

  async access(): Promise<Access> {
    return (await openAccess(this.bus)).access;
  }

  async catalog(): Promise<Catalog> {
    return (await openCatalog(this.bus)).catalog;
  }

  /** Reads the contents of a bucket. */
  async read(name: BucketName): Promise<Map<string, unknown>> {
    const entries = new Map<string, unknown>();
    const put = (key: string, value: unknown) => entries.set(key, value);
    (await watchBucket(this.bus, name, { put, remove: key => entries.delete(key) })).stop();
    return entries;
  }

  #removed(folder: string): string {
    this.#cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  async clear(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
    await this.bus.close();
    await this.nats.stop();
  }
}

/** Waits until this reader knows a secret, and returns its token. */
export async function untilKnown(access: Access, secret: string): Promise<TokenRecord> {
  await until(() => tryCheck(access, secret) !== undefined);
  return access.check(secret, Date.now());
}

/** Waits until this reader refuses a secret. */
export async function untilRefused(access: Access, secret: string): Promise<void> {
  await until(() => tryCheck(access, secret) === undefined);
}

function tryCheck(access: Access, secret: string): TokenRecord | undefined {
  try {
    return access.check(secret, Date.now());
  } catch {
    return undefined;
  }
}
