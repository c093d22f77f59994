import type { SettingName } from '@model-gateway/service';
import { traceSettingNames } from '@model-gateway/service/configuration';
import { isSurrounding, named, only } from '../setup/environment.mjs';

const common: readonly SettingName[] = [
  'LOG_LEVEL',
  ...traceSettingNames,
  'GATEWAY_DRAIN',
  'OPS_HOST',
  'GATEWAY_CONNECTIONS',
  'GATEWAY_ADDRESS_CONNECTIONS',
  'GATEWAY_TRUSTED_PROXIES',
  'NATS_TLS_CA',
  'NATS_TLS_CERT',
  'NATS_TLS_KEY',
];

/**
 * The settings that each service gets from the user's environment. It gets only those that it reads, so that a provider's
 * key, whatever its name, is in the worker only. The launcher sets its address, ports and NATS_URL.
 */
const settings = {
  front: [
    ...common,
    'GATEWAY_BODY_LIMIT',
    'GATEWAY_BODY_BUDGET',
    'GATEWAY_BODY_RATE',
    'GATEWAY_BODY_TIME',
    'GATEWAY_UPLOAD_LIMIT',
    'GATEWAY_UPLOAD_TIME',
    'GATEWAY_TOKEN_REQUESTS',
    'GATEWAY_TOKEN_SOCKETS',
    'GATEWAY_TOKEN_BODY_BUDGET',
    'GATEWAY_TOKEN_SPOOL_BUDGET',
    'GATEWAY_SPOOL',
    'GATEWAY_SPOOL_BUDGET',
    'GATEWAY_STALE_LIMIT',
    'GATEWAY_LIMITS_POLICY',
    'GATEWAY_CORS_ORIGINS',
    'LOG_REQUESTS',
    'LOG_CLIENT',
    'GATEWAY_QUEUE_MS',
    'GATEWAY_RESPONSES_TTL',
    'GATEWAY_SOCKET_LIMIT',
    'GATEWAY_SOCKET_RATE',
    'GATEWAY_REALTIME_IDLE',
    'GATEWAY_REALTIME_GRACE',
    'GATEWAY_REALTIME_SESSIONS',
    'GATEWAY_REALTIME_MESSAGE',
    'GATEWAY_REALTIME_ORIGINS',
  ],
  control: [
    ...common,
    'DATABASE_URL',
    'GATEWAY_MASTER_KEY',
    'GATEWAY_POOL_KEYS',
    'GATEWAY_API_REFERENCES',
    'GATEWAY_ADMIN_PASSWORD',
    'GATEWAY_SESSION_IDLE',
    'GATEWAY_SESSION_LIFETIME',
    'GATEWAY_PUBLIC_URL',
    'GATEWAY_OIDC_ISSUER',
    'GATEWAY_OIDC_CLIENT_ID',
    'GATEWAY_OIDC_CLIENT_SECRET',
    'GATEWAY_OIDC_SCOPES',
    'GATEWAY_OIDC_GROUPS',
    'GATEWAY_OIDC_ROLES',
    'GATEWAY_OIDC_NEW_USERS',
    'GATEWAY_TOKENS_OF_PROJECT',
    'GATEWAY_TOKENS_OF_OWNER',
    'GATEWAY_SCOPE_BYTES',
    'GATEWAY_NATS_REPLICAS',
    'GATEWAY_RESPONSES_TTL',
    'GATEWAY_RESPONSES_BYTES',
    'GATEWAY_REALTIME_SECRETS_BYTES',
    'GATEWAY_USAGE_RETENTION',
    'GATEWAY_ROLLUP_RETENTION',
    'GATEWAY_BUDGET_THRESHOLDS',
    'GATEWAY_BUDGET_WEBHOOK',
    'GATEWAY_BUDGET_WEBHOOK_SECRET',
  ],
  simulator: [...common, 'SIMULATOR_RECORD'],
} as const satisfies Record<string, readonly SettingName[]>;

/** The settings that front, control and workers get from the user's environment. */
export const passedOn: readonly SettingName[] = [
  ...settings.front,
  ...settings.control,
  'GATEWAY_POOL',
  'GATEWAY_POOL_KEY',
  'GATEWAY_CAPACITY',
  'GATEWAY_ANSWER_BUDGET',
  'GATEWAY_TRACE_UPSTREAMS',
  'GATEWAY_PRIVATE_PROVIDERS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
];

/** The variables that the exporter of traces reads itself: certificates, compression, timeouts. */
const exporter = 'OTEL_EXPORTER_OTLP_[A-Z_]+';

/** Matches the variables that control's PostgreSQL client reads for parts that DATABASE_URL omits. */
const postgres = named('PG[A-Z_]+');

/** Matches the secrets that the worker must not get. It gets all other variables, since providers may name any. */
const notForWorkers = named(
  'DATABASE_URL GATEWAY_MASTER_KEY GATEWAY_POOL_KEYS GATEWAY_ADMIN_TOKEN GATEWAY_ADMIN_PASSWORD GATEWAY_OIDC_CLIENT_SECRET GATEWAY_FIRST_TOKEN PGPASSWORD PGPASSFILE',
  { files: true },
);

export type ServiceName = keyof typeof settings | 'worker';

/** Returns the part of the launcher's environment that a service gets. */
export function serviceEnvironment(service: ServiceName, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (service === 'worker') return only(env, name => !notForWorkers.test(name));
  const pattern = named(`${settings[service].join(' ')} ${exporter}`, { files: true });
  const isSetting = (name: string) => pattern.test(name) || (service === 'control' && postgres.test(name));
  return only(env, name => isSurrounding(name) || isSetting(name));
}
