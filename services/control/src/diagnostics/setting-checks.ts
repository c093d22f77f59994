import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '@model-gateway/bus';
import { isLoopback } from '../people/oidc-options.ts';
import { type Check, failed, ok, type Result, warning } from './check.ts';

/** The least characters of an admin token that cannot be guessed. */
const leastCharacters = 20;
/** Tokens that examples use. */
const examples = /^(?:admin|secret|password|token|test|change-?me|example|default)/i;
/** Space on a disk under which there is a warning. */
const little = { bytes: 1_000_000_000, part: 0.05 };

export interface SettingChecks {
  adminToken: string;
  publicUrl: string | undefined;
  /** The folder of control's data. */
  dataFolder: string;
  bus(): Bus | undefined;
}

/** The checks of settings that are dangerous, and of the disk of control's data. */
export function settingChecks(options: SettingChecks): Check[] {
  const advice = 'Look at the settings of control.';
  return [
    { name: 'settings', advice, run: async () => checkSettings(options) },
    {
      name: 'disk',
      advice: 'Look at the folder GATEWAY_DATA of control.',
      run: () => checkDisk(options.dataFolder),
    },
  ];
}

function checkSettings({ adminToken, publicUrl, dataFolder, bus }: SettingChecks): Result[] {
  const results: Result[] = [];
  const isMade = adminToken.startsWith('admin-') && adminToken.length > 40;
  if (adminToken.length < leastCharacters || (examples.test(adminToken) && !isMade))
    results.push(
      failed(
        'GATEWAY_ADMIN_TOKEN can be guessed',
        'Set a random one: openssl rand -base64 32. It may do everything.',
      ),
    );
  if (existsSync(join(dataFolder, 'admin-password')))
    results.push(
      warning(
        'the first password of the user admin is still in the file admin-password',
        'Change it: gateway login, gateway password. The file is then removed.',
      ),
    );
  const url = publicUrl === undefined ? null : URL.parse(publicUrl);
  if (url?.protocol === 'http:' && !isLoopback(url))
    results.push(
      warning(
        `GATEWAY_PUBLIC_URL is ${url.origin}: passwords and tokens cross the network in clear`,
        'Put TLS before the gateway, and set the https URL.',
      ),
    );
  results.push(...checkBusUrl(bus()));
  return results.length > 0 ? results : [ok('no dangerous setting was found')];
}

function checkBusUrl(bus: Bus | undefined): Result[] {
  const [first = ''] = (bus?.options.url ?? '').split(',');
  const url = URL.parse(first.includes('://') ? first : `nats://${first}`);
  if (!bus || !url || isLoopback(url) || url.username !== '') return [];
  return [
    warning(
      `NATS at ${url.host} has no users: whoever reaches it may do everything`,
      'Give each service its user: docs/bus.md. Let nobody else reach NATS.',
    ),
  ];
}

async function checkDisk(folder: string): Promise<Result[]> {
  const { bavail, blocks, bsize } = await statfs(folder).catch(() => ({ bavail: 0, blocks: 0, bsize: 0 }));
  if (blocks === 0) return [];
  const free = bavail * bsize;
  const found = `${(free / 1e9).toFixed(1)} GB are free in ${folder}`;
  if (free < little.bytes || bavail / blocks < little.part)
    return [warning(found, 'Make space: control stores its data there, and NATS may, too.')];
  return [ok(found)];
}
