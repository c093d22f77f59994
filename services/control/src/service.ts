import {
  type Log,
  processSettings,
  readMasterKey,
  type Service,
  type ServiceContext,
  type Settings,
} from '@model-gateway/service';
import { keepStreams } from '@model-gateway/store';
import { firstToken, readAdminToken } from './admin-token.ts';
import { adminApi } from './api/app.ts';
import { askLeft } from './budgets/left.ts';
import { BudgetNotices } from './budgets/notices.ts';
import { tellSpending } from './budgets/spending-answers.ts';
import { askTest } from './catalog/test-entry.ts';
import { wholeCatalog } from './catalog.ts';
import { CatalogFileWatcher } from './catalog-file.ts';
import type { Change } from './change.ts';
import { ClaimedCatalog } from './claimed-catalog.ts';
import type { Database } from './database/database.ts';
import { openDatabase } from './database/open.ts';
import { diagnoseOptions } from './diagnostics/options.ts';
import { askModels } from './discovery/ask-models.ts';
import { Discoverer } from './discovery/discoverer.ts';
import { HealthFollower } from './health.ts';
import { lastingStreams } from './lasting-streams.ts';
import { ensureFirstAdmin } from './people/first-admin.ts';
import { Pools } from './pools.ts';
import { PriceBook } from './prices/price-book.ts';
import { Projector } from './projector.ts';
import { LoggedRequestKeeper } from './requests/keeper.ts';
import { RunningFleet } from './running/fleet.ts';
import {
  type ControlSetting,
  controlSettings,
  noticeOptions,
  peopleOptions,
  retentionOptions,
  storedOptions,
} from './settings.ts';
import { allTokenChanges, ensureToken } from './tokens.ts';
import { UsageKeeper } from './usage/keeper.ts';
import { keepRetention } from './usage/retention.ts';
import { overtake } from './versions.ts';

/** The system of record: tokens and the catalog in SQL, published to all services through KV; and the admin API. */
export const control: Service<ControlSetting> = {
  name: 'control',
  settings: controlSettings,
  async start({ log, metrics, bus, clientAddress, env }, settings) {
    const masterKey = readMasterKey(settings);
    const adminToken = readAdminToken(settings);
    const people = peopleOptions(settings, masterKey);
    const file = await catalogFile(settings.GATEWAY_CONFIG, log);
    const first = firstToken(settings);
    const noticed = noticeOptions(settings);
    const database = await openDatabase(settings, log);
    const { db, claims, close } = database;
    const replicas = settings.GATEWAY_NATS_REPLICAS;
    const prices = new PriceBook(db, log);
    const notices = new BudgetNotices({ db, log, ...noticed });
    const keeper = new UsageKeeper({ bus, database, prices, stored: notices.used, log, metrics, replicas });
    const projector = new Projector({
      ...{ bus, source: source(db), log, replicas },
      notices: () => [...(file?.problems() ?? []), ...keeper.notices()],
    });
    const catalog = new ClaimedCatalog({
      ...{ db, claims, masterKey, log, path: file?.path ?? 'gateway.yaml' },
      changed: publishing(projector),
    });
    try {
      await file?.follow(catalog);
      if (first) await ensureToken(db, first, 'first');
      await ensureFirstAdmin(db, settings, log);
    } catch (error) {
      await file?.close();
      await close();
      throw error;
    }
    void projector.start();
    const stopped = new AbortController();
    const { pools, health } = followFleet(bus, metrics, stopped.signal);
    void tellSpending(db, bus, stopped.signal, () => keeper.lagMs);
    const fleet = new RunningFleet(bus, stopped.signal);
    const logged = new LoggedRequestKeeper({ bus, db, log, metrics, replicas });
    const discovering = { db, log, pools, ask: askModels(bus), changed: publishing(projector) };
    const keepers = Promise.all(
      [keeper, notices, logged, new Discoverer(discovering)].map(each => each.run(stopped.signal)),
    );
    const retention = keepRetention({ db, log, ...retentionOptions(settings) }, stopped.signal);
    keepStored(bus, settings, log, stopped.signal);
    return {
      handle: adminApi({
        ...{ db, prices, projector, health, adminToken, masterKey, log, clientAddress, fleet },
        file: file?.path ?? 'gateway.yaml',
        askLeft: askLeft(bus, stopped.signal),
        diagnostics: diagnoseOptions({
          ...{ bus, signal: stopped.signal, db, adminToken, settings, keeper, pools, health },
        }),
        ...{ askTest: askTest(bus, pools), env, ...settingOptions(settings) },
        ...people,
      }),
      problems: () => [...projector.problems(), ...(file?.problems() ?? [])],
      notices: () => [
        ...keeper.notices(),
        ...(catalog.superseded ? [`${file?.path}: another control has a newer file, which is in force`] : []),
      ],
      opsRoutes: pools.routes,
      drain: async () => fleet.stopFollowers(),
      async close() {
        projector.stop();
        stopped.abort();
        await Promise.all([keepers, retention]);
        await file?.close();
        await close();
      },
    };
  },
};

/** Follows the load of the worker pools and the rests of targets until the signal aborts. */
function followFleet(bus: ServiceContext['bus'], metrics: ServiceContext['metrics'], signal: AbortSignal) {
  const health = new HealthFollower(metrics);
  void health.follow(bus, signal);
  const pools = new Pools(metrics, () => health.pools());
  void pools.listen(bus, signal);
  return { pools, health };
}

/** Returns a function that publishes changes. One that cannot be sent is found by the comparison once NATS is back. */
function publishing(projector: Projector): (changes: Change[]) => Promise<void> {
  return async changes => void (projector.started && (await projector.send(changes).catch(() => {})));
}

/** Returns the part of the admin API's options that concerns settings. */
function settingOptions({ GATEWAY_API_REFERENCES: references }: Settings<ControlSetting>) {
  return { references, settings: [...processSettings, ...controlSettings] };
}

async function catalogFile(path: string | undefined, log: Log): Promise<CatalogFileWatcher | undefined> {
  return path === undefined ? undefined : CatalogFileWatcher.load(path, log);
}

/** Keeps the streams for what ingresses store. */
function keepStored(
  bus: ServiceContext['bus'],
  settings: Settings<ControlSetting>,
  log: Log,
  signal: AbortSignal,
): void {
  const failed = (error: unknown) =>
    log.warn({ err: error }, 'streams for stored responses cannot be created');
  void keepStreams(bus, lastingStreams(storedOptions(settings)), { signal, failed });
}

function source(db: Database) {
  return {
    overtake: overtake.bind(undefined, db),
    everything: async () => [...(await allTokenChanges(db)), ...(await wholeCatalog(db))],
    catalog: () => wholeCatalog(db),
  };
}
