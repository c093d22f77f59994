// The first step of `npm start`, `npm test` and `npm run bench`: plain JavaScript for Node 20, without dependencies.
// It installs what is missing, then runs the task with the Node version that the project pins.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const [task = '', ...args] = process.argv.slice(2);
const turboQuiet = { TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' };

const tasks = {
  start: () =>
    handOver('node', [join(root, 'deploy/launcher/src/main.ts'), ...args], { exitWithParent: true }),
  test: () => (args.length === 0 ? allChecks() : handOver('vitest', ['run', ...args], { env: natsServer() })),
  bench: () => handOver('node', [join(root, 'test/load/main.ts'), ...args], { env: natsServer() }),
  profile: () => handOver('node', [join(root, 'test/load/profile.ts'), ...args], { env: natsServer() }),
  kubernetes: testOnCluster,
  planted: () => handOver('node', [join(root, 'test/planted/run.ts'), ...args], { env: natsServer() }),
  all: () => handOver('node', [join(root, 'test/all.ts')], { env: natsServer() }),
};

if (!Object.hasOwn(tasks, task))
  fail(`setup.mjs: unknown task '${task}'; use ${Object.keys(tasks).join(', ')}`);
if (!installed()) install();
process.env.PATH = [bin, process.env.PATH].join(delimiter);
// Each process starts in half the time, and without the memory of a TypeScript compiler.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compile');
build();
tasks[task]();

/** True if node_modules matches package-lock.json, apart from packages for other platforms. */
function installed() {
  const read = file => JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  try {
    const found = read('node_modules/.package-lock.json');
    const wanted = Object.entries(read('package-lock.json')).filter(
      ([path, { optional }]) => path && !optional,
    );
    return (
      existsSync(join(bin, 'node')) && wanted.every(([path, { version }]) => found[path]?.version === version)
    );
  } catch {
    return false;
  }
}

function install() {
  console.error('Installing the packages of package-lock.json (npm ci)');
  const flags = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error, output } = spawnSync('npm', ['ci', ...flags], { cwd: root, encoding: 'utf8' });
  if (status === 0) return;
  fail(`npm ci failed:\n${error ? error.message : output.join('')}`);
}

/** Builds the programs and the console's pages if they changed. The gateway works without, but the tests do not. */
function build() {
  const flags = ['--continue=always', '--ui=stream', '--output-logs=errors-only', '--log-prefix=none'];
  const env = { ...process.env, ...turboQuiet };
  const options = { cwd: root, encoding: 'utf8', env };
  const { status, error, output } = spawnSync(
    join(bin, 'turbo'),
    ['run', 'build', '//#bundle', ...flags],
    options,
  );
  if (status === 0) return;
  const problem = `The gateway could not be built:\n${error ? error.message : output.join('')}`;
  if (task === 'test') fail(problem);
  console.error(problem);
}

/** Runs lint, type check and tests one after another, all of them even if one fails. */
function allChecks() {
  const flags = [
    '--concurrency=1',
    '--continue=always',
    '--ui=stream',
    '--log-order=stream',
    '--log-prefix=none',
  ];
  const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1' };
  handOver('turbo', ['run', '//#lint', '//#check', '//#suite', ...flags], {
    env: { ...plain, ...turboQuiet, ...natsServer() },
  });
}

/** Tests the chart on the cluster of KUBECONFIG. The last line is `N passed, N failed`. */
function testOnCluster() {
  const report = join(root, 'reports/vitest.json');
  rmSync(report, { force: true });
  // The end of a test uninstalls what it installed, which takes minutes.
  const config = ['--project=kubernetes', '--teardownTimeout=330000'];
  const count = () =>
    spawnSync(process.execPath, [join(root, '.ci/count.mjs'), report], { stdio: 'inherit' }).status;
  handOver('vitest', ['run', ...config, ...args], { after: count });
}

/** Finds or fetches a nats-server for the tests. */
function natsServer() {
  const print = join(root, 'deploy/launcher/src/nats-server/print.ts');
  const { status, stdout } = spawnSync(join(bin, 'node'), [print], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(1);
  return { NATS_SERVER_BIN: stdout.trim() };
}

/**
 * Runs a program in place of this one: with its terminal, signals and exit code. A signal is passed on once, since npm
 * and the terminal may both send it. With `exitWithParent`, the program gets an IPC channel that closes when this process
 * ends. `after` runs once the program has ended; its exit code, unless 0, replaces the program's.
 */
function handOver(program, programArgs, { env = {}, exitWithParent = false, after = () => 0 }) {
  const stdio = ['inherit', 'inherit', 'inherit', ...(exitWithParent ? ['ipc'] : [])];
  const child = spawn(join(bin, program), programArgs, { cwd: root, stdio, env: { ...process.env, ...env } });
  const stopping = exitWithParent && process.env.npm_lifecycle_event ? leaveWithParent() : () => {};
  for (const signal of ['SIGTERM', 'SIGINT']) {
    let passed = false;
    process.on(signal, () => {
      stopping();
      if (!passed) child.kill(signal);
      passed = true;
    });
  }
  child.on('error', error => fail(`${program}: ${error.message}`));
  child.on('exit', (code, signal) => {
    stopping();
    if (signal) console.error(`${program} was terminated by ${signal}`);
    process.exit(after() || (code ?? 1));
  });
}

/** Ends this process, and so its `exitWithParent` child, within 0.5 s of npm being killed, which passes no signal on. */
function leaveWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => process.ppid !== parent && process.exit(1), 500);
  return () => clearInterval(timer);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
