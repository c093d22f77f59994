import { createHook } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { tickLike } from './idle-memory.ts';

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

test('the object that is kept has the first properties of those of process.nextTick', async () => {
  const ticks: object[] = [];
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') ticks.push(resource);
    },
  }).enable();
  await new Promise<void>(resolve => process.nextTick(resolve));
  hook.disable();
  const [tick] = ticks as [object];
  expect(Object.getOwnPropertySymbols(tickLike)).toEqual(Object.getOwnPropertySymbols(tick).slice(0, 2));
});
