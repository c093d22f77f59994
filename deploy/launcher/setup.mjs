// The first step of `npm start`, `npm test` and `npm run bench`: plain JavaScript for Node 20, without dependencies.
// It installs and builds what is missing, then runs the task with the Node that the gateway needs.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { staleOutput } from '../build/build.mjs';
import { checkCheckout, checkData } from './setup/folders.mjs';
import { handOver } from './setup/hand-over.mjs';
import { checkNatsServer, findNatsServer } from './setup/nats-server/find.mjs';
import { checkNode, nodeProgram } from './setup/node.mjs';
import { installPackages, isInstalled } from './setup/packages.mjs';
import { checkPort } from './setup/port.mjs';
import { Problem, say, step } from './setup/steps.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const [task = '', ...args] = process.argv.slice(2);

/**
 * The tasks that need the tests' packages.
 * @type {Partial<Record<string, () => void>>}
 */
const testing = {
  test: () => (args.length === 0 ? allChecks() : run('vitest', ['run', ...args])),
  bench: () => runFile('bench/main.ts'),
  profile: () => runFile('bench/profile.ts'),
  planted: () => runFile('test/planted/run.ts'),
  all: () => runFile('test/all.ts'),
  kubernetes: testOnCluster,
};

try {
  checkNode();
  if (task === 'start') await start();
  else if (testing[task]) await runTests(testing[task]);
  else throw new Problem(`there is no task '${task}': use start, ${Object.keys(testing).join(', ')}`);
} catch (error) {
  say(error instanceof Problem ? `npm ${task}: ${error.message}` : String(Object(error).stack));
  process.exit(1);
}

/** Starts the gateway. What cannot work is said before anything is fetched. */
async function start() {
  checkData(process.env);
  await checkPort(process.env);
  await getReady({ tests: false, natsServer: !process.env.NATS_URL });
  await build('programs', 'Programs', 'bundling').catch(({ message }) =>
    say(`Programs: they could not be bundled, and run from their source: ${message}`),
  );
  const leaving = new AbortController();
  build('pages', 'Console', 'building the pages', { inBackground: true, signal: leaving.signal }).catch(
    ({ message }) => leaving.signal.aborted || say(`Console: the pages could not be built: ${message}`),
  );
  const after = () => {
    leaving.abort();
    return 0;
  };
  const main = join(root, 'deploy/launcher/src/main.ts');
  handOver(nodeProgram(root), [main, ...args], { cwd: root, exitWithParent: true, after });
}

/** @param {() => void} task */
async function runTests(task) {
  await getReady({ tests: true, natsServer: true });
  await build('programs', 'Programs', 'bundling');
  await build('pages', 'Console', 'building the pages');
  task();
}

/**
 * Gets the packages and a nats-server, both at once.
 * @param {{ tests: boolean, natsServer: boolean }} needed
 */
async function getReady({ tests, natsServer }) {
  if (!isInstalled(root, tests)) checkCheckout(root);
  const hasNatsServer = natsServer && (await checkNatsServer().catch(solvable)).installed;
  // If one fails, the other is given up.
  const failed = new AbortController();
  const { signal } = failed;
  const finding = () => findNatsServer({ signal }).catch(solvable);
  const [found] = await Promise.all([
    natsServer && (hasNatsServer ? finding() : step('nats-server', 'fetching', finding)),
    installPackages(root, { tests, signal }),
  ]).catch(error => {
    failed.abort();
    throw error;
  });
  if (found) process.env.NATS_SERVER_BIN = found;
  process.env.PATH = [bin, process.env.PATH].join(delimiter);
  // Each process starts in half the time, and without the memory of a TypeScript compiler.
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compile');
}

/**
 * @param {Error} error
 * @returns {never}
 */
function solvable({ message }) {
  throw new Problem(message);
}

/**
 * Builds an output if its sources changed.
 * @param {'programs' | 'pages'} output
 * @param {string} name
 * @param {string} doing
 * @param {{ inBackground?: boolean, signal?: AbortSignal }} [options]
 */
async function build(output, name, doing, options) {
  const stale = staleOutput(root, output, nodeProgram(root));
  if (stale) await step(name, doing, () => stale(options));
}

/**
 * @param {string} program One of an installed package.
 * @param {string[]} programArgs
 * @param {{ env?: NodeJS.ProcessEnv, after?: () => number }} [options]
 */
function run(program, programArgs, options) {
  handOver(join(bin, program), programArgs, { cwd: root, ...options });
}

/** @param {string} path */
function runFile(path) {
  handOver(nodeProgram(root), [join(root, path), ...args], { cwd: root });
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
  const quiet = { TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' };
  const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1' };
  run('turbo', ['run', '//#lint', '//#check', '//#suite', ...flags], { env: { ...plain, ...quiet } });
}

/** Tests the chart on the cluster of KUBECONFIG. The last line is `N passed, N failed`. */
function testOnCluster() {
  const report = join(root, 'reports/vitest.json');
  rmSync(report, { force: true });
  // The end of a test uninstalls what it installed, which takes minutes.
  const config = ['--project=kubernetes', '--teardownTimeout=330000'];
  const counting = [join(root, '.ci/count.mjs'), report];
  const count = () => spawnSync(process.execPath, counting, { stdio: 'inherit' }).status ?? 1;
  run('vitest', ['run', ...config, ...args], { after: count });
}
