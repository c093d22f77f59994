import type { SettingName } from '@model-gateway/service';
import { traceSettingNames } from '@model-gateway/service/configuration';

/** Matches variables that a program may need and that hold no secret: folders, languages, certificates, Node, Go, the C library. */
const surroundings = named(`
  PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP TZ LANG LANGUAGE LC_[A-Z]+ TERM COLORTERM NO_COLOR FORCE_COLOR CI
  SSL_CERT_FILE SSL_CERT_DIR OPENSSL_CONF LD_LIBRARY_PATH LD_PRELOAD XDG_[A-Z]+_(HOME|DIR)
  NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA NODE_TLS_REJECT_UNAUTHORIZED NODE_NO_WARNINGS
  NODE_DEBUG NODE_ICU_DATA NODE_COMPILE_CACHE NODE_DISABLE_COMPILE_CACHE NODE_V8_COVERAGE UV_THREADPOOL_SIZE
  GOMAXPROCS GOMEMLIMIT GOGC MALLOC_[A-Z_]+
`);

/** Matches the variables of the programs that fetch a nats-server: proxies, mirrors, caches and their credentials. */
const tools = named(`
  (HTTP|HTTPS|ALL|NO)_PROXY (http|https|all|no)_proxy REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
  PIP_[A-Z_]+ PYTHON[A-Z_]* PYENV_[A-Z_]+ VIRTUAL_ENV NETRC APT_CONFIG
  GO(PROXY|PATH|ROOT|MODCACHE|CACHE|TMPDIR|TOOLCHAIN|ENV|AUTH|VCS|INSECURE|PRIVATE|NOPROXY|NOSUMDB|SUMDB)
  DOCKER_(HOST|CONTEXT|CONFIG|CERT_PATH|TLS|TLS_VERIFY|API_VERSION)
`);

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
    'GATEWAY_LIMITS_LOCAL',
    'GATEWAY_LIMITS_POLICY',
    'GATEWAY_CORS_ORIGINS',
    'LOG_REQUESTS',
    'LOG_CLIENT',
    'GATEWAY_QUEUE_MS',
    'GATEWAY_RESPONSES_TTL',
    'GATEWAY_SOCKET_LIMIT',
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
  'GATEWAY_CAPACITY',
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
  'DATABASE_URL GATEWAY_ADMIN_TOKEN GATEWAY_ADMIN_PASSWORD GATEWAY_OIDC_CLIENT_SECRET GATEWAY_FIRST_TOKEN PGPASSWORD PGPASSFILE',
  { files: true },
);

export type ServiceName = keyof typeof settings | 'worker';

/** Returns the part of the launcher's environment that a service gets. */
export function serviceEnvironment(service: ServiceName, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (service === 'worker') return only(env, name => !notForWorkers.test(name));
  const pattern = named(`${settings[service].join(' ')} ${exporter}`, { files: true });
  const isSetting = (name: string) => pattern.test(name) || (service === 'control' && postgres.test(name));
  return only(env, name => surroundings.test(name) || isSetting(name));
}

/** Returns the environment of a program that is not part of the gateway, such as nats-server. */
export function programEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return only(env, name => surroundings.test(name));
}

/** Returns the environment of a program that fetches something. */
export function toolEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return only(env, name => surroundings.test(name) || tools.test(name));
}

/** Returns a regular expression for the names, which may be patterns; with `files`, also with `_FILE` appended. */
function named(names: string, { files = false } = {}): RegExp {
  return new RegExp(`^(${names.trim().split(/\s+/).join('|')})${files ? '(_FILE)?' : ''}$`);
}

function only(env: NodeJS.ProcessEnv, wanted: (name: string) => boolean): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted(name)));
}
