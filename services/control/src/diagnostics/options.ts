import type { Bus } from '@model-gateway/bus';
import type { Clock } from '@model-gateway/clock';
import type { Settings } from '@model-gateway/service';
import type { Database } from '../database/database.ts';
import type { HealthFollower } from '../health/health.ts';
import type { Pools } from '../health/pools.ts';
import type { DiagnoseOptions } from './diagnose.ts';
import { Fleet } from './fleet.ts';

interface Parts {
  bus: () => Promise<Bus>;
  signal: AbortSignal;
  clock: Clock;
  db: Database;
  adminToken: string;
  settings: Settings<'GATEWAY_NATS_REPLICAS' | 'GATEWAY_DATA' | 'GATEWAY_PUBLIC_URL' | 'DATABASE_URL'>;
  keeper: { readonly lagMs: number };
  pools: Pools;
  health: HealthFollower;
}

/** Returns what diagnostics check of this control, until the signal aborts. */
export function diagnoseOptions(parts: Parts): DiagnoseOptions {
  const { bus, signal, clock, db, adminToken, settings, keeper, pools, health } = parts;
  const fleet = new Fleet(bus, signal);
  const followed = () => health.current(clock.now());
  return {
    ...{ clock, db, adminToken, followed },
    isEmbedded: settings.DATABASE_URL === undefined,
    publicUrl: settings.GATEWAY_PUBLIC_URL,
    dataFolder: settings.GATEWAY_DATA,
    replicas: settings.GATEWAY_NATS_REPLICAS,
    bus: () => fleet.bus,
    processes: () => fleet.processes(),
    lagMs: () => keeper.lagMs,
    loads: () => pools.all(),
    requestedPools() {
      const providers = followed()?.catalog.providers();
      return providers && [...new Set(providers.map(({ pool }) => pool))].sort();
    },
  };
}
