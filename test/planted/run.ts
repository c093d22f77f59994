// Shows which planted faults the tests find: `npm run test:planted`, or with names of faults as arguments. Each fault is a
// patch. It is applied to a copy of HEAD, in which the tests that import the changed file run, nearest first, until one fails.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readImporters, testsOf } from './importers.ts';

/** The tests of a fault end then, if none has failed. */
const mostMs = 240_000;
/** The number of files that run first, of whatever layer. Of the others, those of the quicker layers run first. */
const nearest = 10;

const root = join(import.meta.dirname, '../..');
const copy = join(root, '.cache/planted');
const report = join(copy, 'reports/planted.json');
/** The test that finds each fault; null for a fault that none finds. */
const foundFile = join(import.meta.dirname, 'found.json');
const found: Record<string, string | null> = existsSync(foundFile)
  ? JSON.parse(readFileSync(foundFile, 'utf8'))
  : {};

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();

const wanted = process.argv.slice(2);
const faults = globSync('*.patch', { cwd: join(import.meta.dirname, 'faults') })
  .map(file => basename(file, '.patch'))
  .filter(name => wanted.length === 0 || wanted.some(part => name.includes(part)))
  .sort();

makeCopy();
for (const name of faults) git(copy, 'apply', '--check', patchOf(name));
const importers = readImporters(copy);
const missed: string[] = [];
for (const name of faults) await tryFault(name);
console.log(`${faults.length - missed.length} of ${faults.length} planted faults were found`);
if (missed.length > 0) console.log(`Not found:\n  ${missed.join('\n  ')}`);
// A fault that was found before must be found again.
const lost = missed.filter(name => found[name]);
if (lost.length > 0) console.log(`Found before:\n  ${lost.join('\n  ')}`);
process.exitCode = lost.length > 0 ? 1 : 0;

/** Checks HEAD out into `.cache/planted`, whose packages are hard links to the installed ones. */
function makeCopy(): void {
  if (existsSync(copy))
    git(copy, 'checkout', '--quiet', '--force', '--detach', git(root, 'rev-parse', 'HEAD'));
  else git(root, 'worktree', 'add', '--quiet', '--force', '--detach', copy, 'HEAD');
  for (const folder of globSync('{node_modules,{services,shared,test}/{*,*/*}/node_modules}', {
    cwd: root,
  })) {
    rmSync(join(copy, folder), { recursive: true, force: true });
    execFileSync('cp', ['-al', join(root, folder), join(copy, folder)]);
  }
}

function patchOf(name: string): string {
  return join(import.meta.dirname, 'faults', `${name}.patch`);
}

async function tryFault(name: string): Promise<void> {
  const started = performance.now();
  const until = started + mostMs;
  git(copy, 'apply', patchOf(name));
  try {
    const [changed = ''] = git(copy, 'diff', '--name-only').split('\n');
    const tests = testsOf(changed, importers);
    const before = found[name];
    const others = tests.filter(test => test !== before);
    const red =
      (before && (await firstRed([before], until))) ||
      (await firstRed(others.slice(0, nearest), until)) ||
      (await firstRed(others.slice(nearest), until));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${red ? 'found' : 'MISSED'}  ${name}  ${seconds} s  ${red ?? `${tests.length} files`}`);
    if (red || !(name in found)) {
      found[name] = red ?? null;
      const sorted = Object.entries(found).toSorted(([one], [other]) => (one < other ? -1 : 1));
      writeFileSync(foundFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
    }
    if (!red) missed.push(name);
  } finally {
    git(copy, 'checkout', '--quiet', '--force', '.');
  }
}

/** Runs test files in this order until a test fails or the time is up. Returns the file of the test that failed. */
async function firstRed(files: readonly string[], until: number): Promise<string | undefined> {
  if (files.length === 0 || performance.now() > until) return undefined;
  rmSync(report, { force: true });
  const args = ['run', '--config=test/planted/vitest.config.ts', `--root=${copy}`, `--outputFile=${report}`];
  const child = spawn(join(root, 'node_modules/.bin/vitest'), [...args, ...files], {
    cwd: copy,
    stdio: 'ignore',
    // A process group of its own, so that the programs which the tests started end with it.
    detached: true,
    env: { ...process.env, PLANTED_ORDER: files.join(',') },
  });
  const timer = setTimeout(() => child.kill(), until - performance.now());
  await once(child, 'exit');
  clearTimeout(timer);
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch {
    // Every process of the group has ended.
  }
  if (!existsSync(report)) return undefined;
  const { testResults }: { testResults: TestResult[] } = JSON.parse(readFileSync(report, 'utf8'));
  const red = testResults.find(isRed);
  return red && files.find(file => red.name.endsWith(`/${file}`));
}

/** A file in Vitest's JSON report. */
interface TestResult {
  name: string;
  /** The error of a file that could not be loaded; empty if it was. */
  message: string;
  assertionResults: { status: string }[];
}

/** True if a test of the file failed, or the file could not be loaded. A file that was not run has the status `failed`, too. */
function isRed({ message, assertionResults }: TestResult): boolean {
  return message !== '' || assertionResults.some(({ status }) => status === 'failed');
}
