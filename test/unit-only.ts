import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { dirname } from 'node:path';
import timers from 'node:timers';
import timerPromises from 'node:timers/promises';

// Loaded before the tests of the layer `unit`: they start no server, open no socket, run no program and wait for no real time. A
// test that does is in another layer, which its name says: `x.stack.test.ts`.

const refuse = (what: string) => () => {
  throw new Error(`a unit test must not ${what}: name the file *.stack.test.ts (test/layers.ts)`);
};

net.Server.prototype.listen = refuse('listen on a port');
net.Socket.prototype.connect = refuse('open a socket');
const programs = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const;
for (const name of programs) childProcess[name] = refuse('start a process') as never;

const root = `${dirname(import.meta.dirname)}/`;
/** Lets the messages of real servers arrive between two steps of its time. */
const manualClock = 'shared/clock/src/testing/manual-clock.ts';

/** True if the function that calls a timer is the project's. Libraries and Node have timers of their own, such as that of `vi.waitFor`. */
function isOfProject(): boolean {
  const caller = new Error().stack?.split('\n')[3] ?? '';
  return caller.includes(root) && !caller.includes('/node_modules/') && !caller.includes(manualClock);
}

/** Makes the project's calls of a timer fail. */
function guardTimer<Key extends string>(of: Record<Key, unknown>, name: Key): void {
  const real = of[name] as (...values: unknown[]) => unknown;
  if (real.name === 'guarded') return;
  of[name] = Object.assign(function guarded(this: unknown, ...values: unknown[]) {
    if (isOfProject())
      throw new Error(
        `a unit test must not call ${name}: pass a ManualClock of @model-gateway/clock/testing`,
      );
    return real.apply(this, values);
  }, real);
}

for (const of of [globalThis, timers, timerPromises])
  for (const name of ['setTimeout', 'setInterval'] as const)
    guardTimer(of as Record<typeof name, unknown>, name);
guardTimer(AbortSignal as unknown as Record<'timeout', unknown>, 'timeout');
syncBuiltinESMExports();
