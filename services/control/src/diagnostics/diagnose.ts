import type { Diagnostics } from '@model-gateway/admin-api';
import type { Clock } from '@model-gateway/clock';
import { gatewayVersion } from '@model-gateway/service';
import { type BusChecks, busChecks } from './bus-checks.ts';
import { runChecks } from './check.ts';
import { type DatabaseChecks, databaseChecks } from './database-checks.ts';
import { type FleetChecks, fleetChecks } from './fleet-checks.ts';
import { type ProviderChecks, providerChecks } from './provider-checks.ts';
import { type SettingChecks, settingChecks } from './setting-checks.ts';

export type DiagnoseOptions = { clock: Clock } & BusChecks &
  DatabaseChecks &
  FleetChecks &
  ProviderChecks &
  SettingChecks;

/** Checks the installation. It works while parts of it do not, and takes a few seconds at most. */
export async function diagnose(options: DiagnoseOptions): Promise<Diagnostics> {
  const { clock } = options;
  const all = [busChecks, databaseChecks, fleetChecks, providerChecks, settingChecks];
  const checks = await runChecks(
    all.flatMap(checksOf => checksOf(options)),
    clock,
  );
  return { at: new Date(clock.now()).toISOString(), version: gatewayVersion, checks };
}
