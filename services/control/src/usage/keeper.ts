import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, readUsage } from '@model-gateway/bus';
import type { UsageRecord } from '@model-gateway/canonical';
import type { Log } from '@model-gateway/service';
import type { Database } from '../database/database.ts';
import { isUnreachable } from '../database/unreachable.ts';
import { addEach, addToLedger } from './ledger.ts';

const retryMs = 500;

export interface UsageKeeperOptions {
  bus(): Promise<Bus>;
  db: Database;
  log: Log;
  /** On how many NATS servers records are kept until they are here. */
  replicas: number;
  signal: AbortSignal;
}

/** Moves usage records from NATS into the ledger, until it is stopped. */
export async function keepUsage({ bus, db, log, replicas, signal }: UsageKeeperOptions): Promise<void> {
  let said = '';
  const failed = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== said) log.warn({ err: error }, 'usage records wait');
    said = reason;
  };
  const refused = ({ id }: UsageRecord, error: unknown) =>
    log.error({ attempt: id, err: error }, 'a usage record cannot be kept');
  const keep = async (records: UsageRecord[]) => {
    try {
      await addToLedger(db, records);
    } catch (error) {
      if (isUnreachable(error)) throw error;
      await addEach(db, records, refused);
    }
    said = '';
  };
  const connected = await connect(bus, failed, signal);
  if (connected) await readUsage(connected, { keep, failed }, { replicas, signal });
}

async function connect(
  bus: () => Promise<Bus>,
  failed: (error: unknown) => void,
  signal: AbortSignal,
): Promise<Bus | undefined> {
  while (!signal.aborted) {
    const connected = await bus().catch(failed);
    if (connected) return connected;
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
  return undefined;
}
