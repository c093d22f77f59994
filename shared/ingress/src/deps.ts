import { tmpdir } from 'node:os';
import { type Access, openAccess } from '@model-gateway/access';
import { type Bus, Caller } from '@model-gateway/bus';
import { duration } from '@model-gateway/canonical';
import { type Catalog, openCatalog } from '@model-gateway/catalog';
import {
  type ClientAddress,
  openUsageWriter,
  type ServiceContext,
  usageNotices,
} from '@model-gateway/service';
import { z } from 'zod';
import { recordLost } from './lost-attempts.ts';
import { MemoryBudget } from './memory-budget.ts';
import { shareConfig, type TokenShares, tokenShares } from './token-shares.ts';

export const ingressDepsConfig = shareConfig.extend({
  /** The most bytes of request bodies that a process holds at once. */
  GATEWAY_BODY_BUDGET: z.coerce.number().int().positive().default(256_000_000),
  /** Where uploads lie until they are answered. */
  GATEWAY_SPOOL: z.string().default(tmpdir()),
  /** The most bytes of uploads that a process keeps there at once. */
  GATEWAY_SPOOL_BUDGET: z.coerce.number().int().positive().default(8_000_000_000),
  /** How long requests are let in on tokens that may be out of date, since NATS does not tell. */
  GATEWAY_STALE_LIMIT: duration.prefault('15m'),
});
export type IngressDepsConfig = z.infer<typeof ingressDepsConfig>;

/** What every ingress of a process works with, all of it in memory. */
export interface IngressDeps {
  access: Access;
  catalog: Catalog;
  caller: Caller;
  /** The uses of this process by each token. */
  shares: TokenShares;
  held: MemoryBudget;
  /** Room for uploads on disk. */
  spooled: MemoryBudget;
  /** Where it is. */
  spool: string;
  clientAddress: ClientAddress;
  /** What an operator should know, in a sentence each. */
  notices(): string[];
  close(): Promise<void>;
}

const opened = new WeakMap<Bus, Promise<IngressDeps>>();

/** The facilities of a process that its parts use. */
type Process = Pick<ServiceContext, 'log' | 'metrics' | 'clientAddress'>;

/** Opens a process's parts once, however many ingress services run in it. */
export function openIngressDeps(bus: Bus, config: IngressDepsConfig, process: Process): Promise<IngressDeps> {
  let parts = opened.get(bus);
  if (!parts) {
    parts = open(bus, config, process);
    opened.set(bus, parts);
  }
  return parts;
}

async function open(bus: Bus, config: IngressDepsConfig, process: Process): Promise<IngressDeps> {
  const [tokens, models, caller] = await Promise.all([
    openAccess(bus, config.GATEWAY_STALE_LIMIT),
    openCatalog(bus),
    Caller.open(bus),
  ]);
  const shares = tokenShares(config);
  const usage = openUsageWriter(bus, process);
  caller.onLost = tried => {
    for (const record of recordLost(tried, Date.now())) usage.add(record);
  };
  const watches = [tokens.watch, models.watch];
  return {
    access: tokens.access,
    catalog: models.catalog,
    caller,
    shares,
    held: new MemoryBudget(config.GATEWAY_BODY_BUDGET, shares.bodies),
    spooled: new MemoryBudget(config.GATEWAY_SPOOL_BUDGET, shares.uploads),
    spool: config.GATEWAY_SPOOL,
    clientAddress: process.clientAddress,
    notices() {
      const stale = Math.max(...watches.map(watch => watch.staleMs()));
      const notice = `tokens and models may be out of date: NATS has not told of them for ${Math.round(stale / 1000)} s`;
      return [...models.catalog.notices, ...(stale > 0 ? [notice] : []), ...usageNotices(usage)];
    },
    async close() {
      caller.close();
      for (const watch of watches) watch.stop();
      await usage.close();
    },
  };
}
