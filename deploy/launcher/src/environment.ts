/** Matches what a program may need of its surroundings and what holds no secret: folders, languages, certificates, Node. */
const surroundings = named(`
  PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP TZ LANG LANGUAGE LC_[A-Z]+ TERM COLORTERM NO_COLOR FORCE_COLOR CI
  SSL_CERT_FILE SSL_CERT_DIR OPENSSL_CONF LD_LIBRARY_PATH LD_PRELOAD XDG_[A-Z]+_(HOME|DIR)
  NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA NODE_TLS_REJECT_UNAUTHORIZED NODE_NO_WARNINGS
  NODE_DEBUG NODE_ICU_DATA NODE_COMPILE_CACHE NODE_DISABLE_COMPILE_CACHE NODE_V8_COVERAGE UV_THREADPOOL_SIZE
  GOMAXPROCS GOMEMLIMIT GOGC
`);

/** Matches what the programs that fetch a nats-server read: proxies, mirrors, caches and credentials of their own. */
const tools = named(`
  (HTTP|HTTPS|ALL|NO)_PROXY (http|https|all|no)_proxy REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
  PIP_[A-Z_]+ PYTHON[A-Z_]* PYENV_[A-Z_]+ VIRTUAL_ENV NETRC APT_CONFIG
  GO(PROXY|PATH|ROOT|MODCACHE|CACHE|TMPDIR|TOOLCHAIN|ENV|AUTH|VCS|INSECURE|PRIVATE|NOPROXY|NOSUMDB|SUMDB)
  DOCKER_(HOST|CONTEXT|CONFIG|CERT_PATH|TLS|TLS_VERIFY|API_VERSION)
`);

const common = [
  'LOG_LEVEL',
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
 * The settings that each service takes from the user's environment. What it does not read it does not get, so that a
 * provider's key, by whatever name, is in the worker alone. Its address, ports and NATS_URL are the launcher's to give.
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
    'GATEWAY_NATS_REPLICAS',
    'GATEWAY_RESPONSES_TTL',
    'GATEWAY_RESPONSES_BYTES',
    'GATEWAY_REALTIME_SECRETS_BYTES',
  ],
  simulator: [...common, 'SIMULATOR_RECORD'],
} as const;

/** Matches what the PostgreSQL client of control reads where DATABASE_URL leaves it open. */
const postgres = named('PG[A-Z_]+');

/** Matches what the worker, whose providers may name any variable, still has no use for. */
const notForWorkers = named('DATABASE_URL GATEWAY_ADMIN_TOKEN GATEWAY_FIRST_TOKEN PGPASSWORD PGPASSFILE', {
  files: true,
});

export type ServiceName = keyof typeof settings | 'worker';

/** The part of the launcher's own environment that a service is started with. */
export function serviceEnvironment(service: ServiceName, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (service === 'worker') return only(env, name => !notForWorkers.test(name));
  const own = named(settings[service].join(' '), { files: true });
  const isOwn = (name: string) => own.test(name) || (service === 'control' && postgres.test(name));
  return only(env, name => surroundings.test(name) || isOwn(name));
}

/** The environment of a program that is no part of the gateway, such as nats-server. */
export function programEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return only(env, name => surroundings.test(name));
}

/** The environment of a program that fetches something. */
export function toolEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return only(env, name => surroundings.test(name) || tools.test(name));
}

/** Matches any of the names, which may be patterns; with `files` also each with `_FILE` after it. */
function named(names: string, { files = false } = {}): RegExp {
  return new RegExp(`^(${names.trim().split(/\s+/).join('|')})${files ? '(_FILE)?' : ''}$`);
}

function only(env: NodeJS.ProcessEnv, wanted: (name: string) => boolean): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted(name)));
}
