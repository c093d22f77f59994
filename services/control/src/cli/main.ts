#!/usr/bin/env node
import { UsageError } from './command.ts';
import { gateway, usage } from './gateway.ts';

try {
  console.log(await gateway(process.argv.slice(2)));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`gateway: ${message}`);
  if (error instanceof UsageError) console.error(`\n${usage}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
