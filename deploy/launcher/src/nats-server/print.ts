import { findNatsServer } from './find.ts';

// Prints only the path of a nats-server on standard output, for setup.mjs, which cannot run TypeScript.
try {
  console.log(await findNatsServer({ say: line => console.error(line) }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
