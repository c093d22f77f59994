// The environments of programs that are not the gateway's own. Setup uses them on Node 20, the launcher later.

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

/**
 * Returns the environment of a program that is not part of the gateway, such as nats-server.
 * @param {NodeJS.ProcessEnv} env
 */
export function programEnvironment(env) {
  return only(env, isSurrounding);
}

/**
 * Returns the environment of a program that fetches something.
 * @param {NodeJS.ProcessEnv} env
 */
export function toolEnvironment(env) {
  return only(env, name => isSurrounding(name) || tools.test(name));
}

/** @param {string} name */
export function isSurrounding(name) {
  return surroundings.test(name);
}

/**
 * Returns a regular expression for the names, which may be patterns; with `files`, also with `_FILE` appended.
 * @param {string} names
 */
export function named(names, { files = false } = {}) {
  return new RegExp(`^(${names.trim().split(/\s+/).join('|')})${files ? '(_FILE)?' : ''}$`);
}

/**
 * Returns the variables whose names are wanted.
 * @param {NodeJS.ProcessEnv} env
 * @param {(name: string) => boolean} wanted
 * @returns {NodeJS.ProcessEnv}
 */
export function only(env, wanted) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted(name)));
}
