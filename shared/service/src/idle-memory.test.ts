import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Leaves garbage, then releases memory. Sends the size of its heap before and after, in MiB. */
const program = `
import { releaseMemory } from ${JSON.stringify(fileURLToPath(new URL('idle-memory.ts', import.meta.url)))};
const heap = () => process.memoryUsage().heapTotal / 2 ** 20;
let garbage = Array.from({ length: 1e6 }, (_, i) => ({ i, text: 'text ' + i }));
garbage = garbage.slice(0, 10);
const before = heap();
releaseMemory();
process.send({ before, after: heap(), kept: garbage.length });
process.disconnect();
`;

test('a process gives the room of garbage back', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ before, after }] = await once(child, 'message');
  expect(before).toBeGreaterThan(60);
  expect(after).toBeLessThan(20);
  expect(await once(child, 'exit')).toEqual([0, null]);
});
