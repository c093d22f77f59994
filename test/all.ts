// Runs the layers of tests that `npm test` leaves out, one after another: `npm run test:all`. It notes which layers
// passed on the commit that is checked out, and the next run leaves them out. Uncommitted changes are never noted.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LayerName, layers } from './layers.ts';

/** The layers that passed on a commit, each with its counts and its time. */
interface Passed {
  commit: string;
  layers: Partial<Record<LayerName, string>>;
}

const root = join(import.meta.dirname, '..');
const notes = join(root, 'reports/passed.json');
const report = join(root, 'reports/vitest.json');

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const commit = git('rev-parse', 'HEAD');
const isCommitted = git('status', '--porcelain') === '';
if (!isCommitted)
  console.log('There are uncommitted changes: no layer is left out, and none is noted as passed.');

const passed = readPassed();
const names = (Object.keys(layers) as LayerName[]).filter(name => 'inTestAll' in layers[name]);
const outcomes = names.map(name => ({ name, ...(noted(name) ?? run(name)) }));

console.log(`\nOn commit ${commit}${isCommitted ? '' : ' with uncommitted changes'}:`);
for (const { name, outcome } of outcomes) console.log(`  ${name.padEnd(12)}${outcome}`);
process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1;

function noted(name: LayerName) {
  const outcome = isCommitted ? passed.layers[name] : undefined;
  return outcome && { ok: true, outcome: `${outcome} (before)` };
}

function run(name: LayerName) {
  console.log(`\n== ${name}`);
  rmSync(report, { force: true });
  const started = performance.now();
  const { status } = spawnSync('vitest', ['run', `--project=${name}`], { cwd: root, stdio: 'inherit' });
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  const counted = spawnSync(process.execPath, [join(root, '.ci/count.mjs'), report], { encoding: 'utf8' });
  const ok = status === 0 && counted.status === 0;
  const outcome = `${counted.stdout.trim()} in ${minutes} min`;
  if (ok && isCommitted) note(name, outcome);
  return { ok, outcome };
}

function note(name: LayerName, outcome: string): void {
  passed.layers[name] = outcome;
  mkdirSync(join(root, 'reports'), { recursive: true });
  writeFileSync(notes, `${JSON.stringify(passed, null, 2)}\n`);
}

function readPassed(): Passed {
  try {
    const read: Passed = JSON.parse(readFileSync(notes, 'utf8'));
    if (read.commit === commit) return read;
  } catch {
    // The first run, or a file that an interrupted run left incomplete.
  }
  return { commit, layers: {} };
}
