import { type Clock, systemClock } from '@model-gateway/clock';
import {
  type Log,
  PoolKeys,
  processSettings,
  readMasterKey,
  type Service,
  type ServiceContext,
  type Settings,
} from '@model-gateway/service';
import { keepStreams } from '@model-gateway/store';
import { adminApi } from './api/app.ts';
import { askLeft } from './budgets/left.ts';
import { BudgetNotices } from './budgets/notices.ts';
import { tellSpending } from './budgets/spending-answers.ts';
import { wholeCatalog } from './catalog/catalog.ts';
import { CatalogFileWatcher } from './catalog/catalog-file.ts';
import { ClaimedCatalog } from './catalog/claimed-catalog.ts';
import { SecretsForWorkers } from './catalog/for-workers.ts';
import { askTest } from './catalog/test-entry.ts';
import { overtake } from './catalog/versions.ts';
import type { Change } from './common/change.ts';
import { callKeyChange, controlKeys } from './common/keys.ts';
import type { Database } from './database/database.ts';
import { openDatabase } from './database/open.ts';
import { diagnoseOptions } from './diagnostics/options.ts';
import { askModels } from './discovery/ask-models.ts';
import { Discoverer } from './discovery/discoverer.ts';
import { HealthFollower } from './health/health.ts';
import { Pools } from './health/pools.ts';
import { lastingStreams } from './lasting-streams.ts';
import { ensureFirstAdmin } from './people/first-admin.ts';
import { Passwords } from './people/passwords.ts';
import { PriceBook } from './prices/price-book.ts';
import { Projector } from './projection/projector.ts';
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
import { firstToken, readAdminToken } from './tokens/admin-token.ts';
import { tokenBounds } from './tokens/token-bounds.ts';
import { allTokenChanges, ensureToken } from './tokens/tokens.ts';
import { UsageKeeper } from './usage/keeper.ts';
import { keepRetention } from './usage/retention.ts';

/** Parts that tests replace. */
interface ControlParts {
  clock?: Clock | undefined;
  passwords?: Passwords;
}

/** The system of record: tokens and the catalog in SQL, published to all services through KV; and the admin API. */
export const control = {
  name: 'control',
  settings: controlSettings,
  async start({ log, metrics, bus, clientAddress, env }, settings, parts: ControlParts = {}) {
    const { clock = systemClock, passwords = new Passwords() } = parts;
    const keys = controlKeys(readMasterKey(settings));
    const adminToken = readAdminToken(settings);
    const people = peopleOptions(settings, keys.signIn);
    const file = await catalogFile(settings.GATEWAY_CONFIG, log);
    const first = firstToken(settings);
    const noticed = noticeOptions(settings);
    const database = await openDatabase(settings, log);
    const { db, claims, close } = database;
    const common = { bus, log, clock, metrics, replicas: settings.GATEWAY_NATS_REPLICAS };
    const prices = new PriceBook(db, log, clock);
    const notices = new BudgetNotices({ db, log, clock, ...noticed });
    const keeper = new UsageKeeper({ ...common, database, prices, keys, stored: notices.used });
    const secrets = new SecretsForWorkers(keys.providers, new PoolKeys(settings));
    const projector = new Projector({
      ...common,
      source: source(db, callKeyChange(keys)),
      secrets,
      notices: () => [...(file?.problems() ?? []), ...(file?.notices() ?? []), ...keeper.notices()],
    });
    const changed = publishing(projector);
    const path = file?.path ?? 'gateway.yaml';
    const catalog = new ClaimedCatalog({ db, claims, sealer: keys.providers, log, path, changed });
    try {
      await file?.follow(catalog);
      if (first) await ensureToken(db, first, 'first');
      await ensureFirstAdmin(db, settings, { log, passwords });
    } catch (error) {
      await file?.close();
      await close();
      throw error;
    }
    void projector.start();
    const stopped = new AbortController();
    const { pools, health } = followFleet(bus, metrics, stopped.signal);
    void tellSpending(db, bus, stopped.signal, () => keeper.lagMs);
    const fleet = new RunningFleet(bus, stopped.signal, clock);
    const logged = new LoggedRequestKeeper({ ...common, db });
    const discoverer = new Discoverer({ db, log, clock, pools, ask: askModels(bus), changed });
    const keepers = [keeper, notices, logged, discoverer].map(each => each.run(stopped.signal));
    const retention = keepRetention({ database, log, ...retentionOptions(settings) }, stopped.signal);
    keepStored(bus, settings, log, stopped.signal);
    return {
      handle: adminApi({
        ...{ db, prices, projector, health, adminToken, keys, clientAddress, fleet },
        ...{ log, clock, passwords },
        adopted: () => file?.applyAgain(),
        placeOf: (kind, name) => file?.placeOf(kind, name) ?? { file: path, line: null },
        askLeft: askLeft(bus, stopped.signal),
        diagnostics: diagnoseOptions({
          ...{ bus, signal: stopped.signal, clock, db, adminToken, settings, keeper, pools, health },
        }),
        ...{ askTest: askTest(bus, pools), env, ...settingOptions(settings) },
        ...people,
      }),
      problems: () => [...projector.problems(), ...(file?.problems() ?? [])],
      notices: () => [keeper, secrets, catalog, ...(file ? [file] : [])].flatMap(each => each.notices()),
      opsRoutes: pools.routes,
      drain: async () => fleet.stopFollowers(),
      async close() {
        projector.stop();
        stopped.abort();
        await Promise.all([...keepers, retention]);
        await file?.close();
        await close();
      },
    };
  },
} satisfies Service<ControlSetting>;

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
function settingOptions(settings: Settings<ControlSetting>) {
  const { GATEWAY_API_REFERENCES: references } = settings;
  return {
    references,
    settings: [...processSettings, ...controlSettings],
    bounds: tokenBounds(settings),
  };
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

/** `callKey` comes first: an ingress that knows a token signs its calls. */
function source(db: Database, callKey: Change) {
  return {
    overtake: overtake.bind(undefined, db),
    everything: async () => [callKey, ...(await allTokenChanges(db)), ...(await wholeCatalog(db))],
    catalog: () => wholeCatalog(db),
  };
}
