// Prints vitest's counts as `N passed, N failed[, N skipped]`. Fails unless at least one test passed and none failed.
import { readFileSync } from 'node:fs';

const [file] = process.argv.slice(2);
const { passed, failed, skipped } = count(read(file));
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults;
  } catch {
    return [];
  }
}

/** Counts the tests by status. A file that failed outside its tests, as when it cannot be loaded, is one failed test. */
function count(files) {
  const statuses = files.flatMap(({ status, assertionResults }) => {
    const found = assertionResults.map(result => result.status);
    return status === 'failed' && !found.includes('failed') ? [...found, 'failed'] : found;
  });
  const number = (...wanted) => statuses.filter(status => wanted.includes(status)).length;
  return {
    passed: number('passed'),
    failed: number('failed'),
    skipped: number('skipped', 'pending', 'todo', 'disabled'),
  };
}
