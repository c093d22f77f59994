import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingList } from '@model-gateway/admin-api';
import { processSettings, reportSettings } from '@model-gateway/service';
import { expect, test } from 'vitest';
import { controlSettings } from '../settings.ts';
import { Stage } from '../testing/stage.ts';

test('the settings of control are listed with their source, and without secrets', async () => {
  const stage = await Stage.set();
  try {
    const GATEWAY_DATA = await stage.folder();
    const file = join(GATEWAY_DATA, 'days');
    writeFileSync(file, '90d\n');
    const control = await stage.control({
      GATEWAY_DATA,
      GATEWAY_SESSION_IDLE: '1h',
      GATEWAY_USAGE_RETENTION_FILE: file,
      GATEWAY_BUDGET_WEBHOOK: 'https://hooks.example/T0/secret-path?key=secret-key',
      GATEWAY_BUDGET_WEBHOOK_SECRET: 'secret-of-webhook',
    });
    const { body } = await control.api('GET', '/settings');
    const { data } = body as SettingList;
    const found = (name: string) => data.find(setting => setting.name === name);
    expect(found('GATEWAY_SESSION_IDLE')).toMatchObject({
      value: '1h',
      default: '8h',
      source: 'environment',
    });
    expect(found('GATEWAY_USAGE_RETENTION')).toMatchObject({ value: '90d', source: 'file' });
    expect(found('GATEWAY_SESSION_LIFETIME')).toMatchObject({
      value: '7d',
      default: '7d',
      source: 'default',
    });
    expect(found('DATABASE_URL')).toMatchObject({ value: null, source: 'default' });
    expect(found('GATEWAY_ADMIN_TOKEN')).toMatchObject({ value: '(secret)', source: 'environment' });
    expect(found('GATEWAY_BUDGET_WEBHOOK')).toMatchObject({ value: 'https://hooks.example' });
    expect(JSON.stringify(body)).not.toMatch(/admin-token-of-the-tests|secret-/);
  } finally {
    await stage.clear();
  }
});

test('no setting that may be a secret is shown', () => {
  const names = [...processSettings, ...controlSettings];
  const given = Object.fromEntries(names.map(name => [name, 'x://user:sesame@host/sesame?sesame']));
  const shown = reportSettings(names, given).filter(({ value }) => value?.includes('sesame'));
  const mayHoldSecret = /TOKEN|PASSWORD|SECRET|KEY|URL|WEBHOOK/;
  expect(shown.map(({ name }) => name).filter(name => mayHoldSecret.test(name))).toEqual([
    'GATEWAY_TLS_KEY',
    'NATS_TLS_KEY',
    'GATEWAY_REALTIME_SECRETS_BYTES',
    'GATEWAY_PUBLIC_URL',
    'GATEWAY_POOL_KEYS',
    'GATEWAY_TOKENS_OF_PROJECT',
    'GATEWAY_TOKENS_OF_OWNER',
  ]);
});
