import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSetting, type SettingName, settingSchemas } from '@model-gateway/service';
import { replaceTable, writeTable } from '../limits/table.ts';
import { recordTables } from './records.ts';

const docs = join(import.meta.dirname, '../..');
const names = Object.keys(settingSchemas) as SettingName[];
const shares = names.filter(name => name.startsWith('GATEWAY_TOKEN_'));
const sessions = names.filter(name => name.startsWith('GATEWAY_REALTIME_'));
const traces = names.filter(name => /^(OTEL|GATEWAY_TRACE)_/.test(name));

/** The sections of the documents that tell more about a setting, as links in `operations.md`. */
const sections: Partial<Record<SettingName, string>> = {
  OPS_PORT: '#health-metrics-logs',
  LOG_REQUESTS: 'logs.md',
  LOG_CLIENT: 'logs.md',
  GATEWAY_TLS_CERT: '#tls',
  GATEWAY_TRUSTED_PROXIES: '#the-clients-address',
  GATEWAY_ADDRESS_CONNECTIONS: '#connections',
  GATEWAY_CONNECTIONS: '#connections',
  NATS_TLS_CA: 'bus.md#tls',
  GATEWAY_DATA: '#on-a-shared-machine',
  GATEWAY_CONFIG: 'configuration.md',
  DATABASE_URL: '#several-controls',
  GATEWAY_MASTER_KEY: '#keys',
  GATEWAY_POOL_KEYS: '#keys',
  GATEWAY_API_REFERENCES: 'models.md#secrets',
  GATEWAY_ADMIN_PASSWORD: 'people.md#the-first-admin',
  GATEWAY_TOKENS_OF_PROJECT: 'tokens.md#bounds',
  GATEWAY_TOKENS_OF_OWNER: 'tokens.md#bounds',
  GATEWAY_SCOPE_BYTES: 'tokens.md#bounds',
  GATEWAY_SESSION_IDLE: 'people.md#sessions',
  GATEWAY_SESSION_LIFETIME: 'people.md#sessions',
  GATEWAY_PUBLIC_URL: 'people.md#sessions',
  GATEWAY_OIDC_ISSUER: 'people.md#openid-connect',
  GATEWAY_OIDC_CLIENT_ID: 'people.md#openid-connect',
  GATEWAY_OIDC_CLIENT_SECRET: 'people.md#openid-connect',
  GATEWAY_OIDC_SCOPES: 'people.md#openid-connect',
  GATEWAY_OIDC_GROUPS: 'people.md#openid-connect',
  GATEWAY_OIDC_ROLES: 'people.md#openid-connect',
  GATEWAY_OIDC_NEW_USERS: 'people.md#openid-connect',
  GATEWAY_LOGIN_FILE: 'people.md#the-command',
  GATEWAY_CORS_ORIGINS: 'configuration.md#web-pages',
  GATEWAY_WORKERS: '#several-workers-and-fronts',
  GATEWAY_FRONTS: '#several-workers-and-fronts',
  GATEWAY_SCHEDULING: '#scheduling',
  GATEWAY_URL: 'tokens.md',
  GATEWAY_POOL: '#load-of-the-pools',
  GATEWAY_POOL_KEY: '#keys',
  GATEWAY_SPOOL: 'audio.md#uploads',
  GATEWAY_RESPONSES_TTL: 'responses.md',
  GATEWAY_USAGE_RETENTION: 'usage.md#retention',
  GATEWAY_ROLLUP_RETENTION: 'usage.md#retention',
  GATEWAY_BUDGET_THRESHOLDS: 'budgets.md#get-a-notice',
  GATEWAY_BUDGET_WEBHOOK: 'budgets.md#get-a-notice',
  GATEWAY_BUDGET_WEBHOOK_SECRET: 'budgets.md#get-a-notice',
};

/** The pages with tables of settings, each table under a mark that names it. */
export function generated(): { path: string; text: string }[] {
  const others = names.filter(name => ![...shares, ...sessions, ...traces].includes(name));
  return [
    page('operations.md', {
      'all settings but those of tokens, sessions and traces': tableOf(others),
      "a token's shares": tableOf(shares),
    }),
    page('traces.md', { traces: tableOf(traces) }),
    page('realtime.md', {
      sessions: tableOf([
        'GATEWAY_SOCKET_LIMIT',
        'GATEWAY_SOCKET_RATE',
        ...sessions,
        'GATEWAY_TOKEN_SOCKETS',
        'GATEWAY_CAPACITY',
      ]),
    }),
    ...Object.entries(recordTables).map(([file, tables]) => page(file, tables)),
  ];
}

function page(file: string, tables: Record<string, string>): { path: string; text: string } {
  const path = join(docs, file);
  const text = Object.entries(tables).reduce(
    (written, [mark, table]) => replaceTable(written, `<!-- ${mark}: made by npm run docs -->`, table),
    readFileSync(path, 'utf8'),
  );
  return { path, text };
}

function tableOf(wanted: readonly SettingName[]): string {
  const rows = wanted.map(name => {
    const { description, defaultText } = describeSetting(name);
    return [nameCell(name), description, defaultText ?? ''];
  });
  return writeTable([['setting', '', 'default'], ...rows]);
}

function nameCell(name: SettingName): string {
  const section = sections[name];
  return section ? `[\`${name}\`](${section})` : `\`${name}\``;
}
