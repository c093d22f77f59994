import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

// Loaded before the tests of the layer `unit`: they start no server, open no socket and run no program. A test that does
// is in another layer, which its name says: `x.stack.test.ts`.

const refuse = (what: string) => () => {
  throw new Error(`a unit test must not ${what}: name the file *.stack.test.ts (test/layers.ts)`);
};

net.Server.prototype.listen = refuse('listen on a port');
net.Socket.prototype.connect = refuse('open a socket');
const programs = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const;
for (const name of programs) childProcess[name] = refuse('start a process') as never;
syncBuiltinESMExports();
