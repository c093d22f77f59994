import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const scheduling = new URL('./scheduling.ts', import.meta.url).href;
/** The 41st value of `/proc/PID/stat` is the scheduling policy; the second may contain spaces. Source: proc_pid_stat(5). */
const policyOf = `const policyOf = pid => fs.readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ')[1].split(' ')[38];`;
const schedBatch = '3';

test('a process and its later children do not interrupt others', ({ skip }) => {
  if (process.platform !== 'linux') skip('this system has no SCHED_BATCH');
  if (spawnSync('chrt', ['--help']).error) skip('there is no chrt on this machine');
  const program = `
    import { spawn } from 'node:child_process';
    import fs from 'node:fs';
    import { useBatchScheduling } from '${scheduling}';
    ${policyOf}
    useBatchScheduling();
    const child = spawn('sleep', ['60']);
    console.log(policyOf('self'), policyOf(child.pid));
    child.kill();`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  expect(output).toBe(`${schedBatch} ${schedBatch}\n`);
});
