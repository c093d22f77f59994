import { findNatsServer } from './find.ts';

// Prints the path of a nats-server alone on standard output, for the set-up that runs before TypeScript can.
try {
  console.log(await findNatsServer({ say: line => console.error(line) }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
