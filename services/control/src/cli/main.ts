#!/usr/bin/env node
import { pipeline } from 'node:stream/promises';
import { UsageError } from './command.ts';
import { gateway, usage } from './gateway.ts';

try {
  const printed = await gateway(process.argv.slice(2));
  if (typeof printed === 'string') console.log(printed);
  else await pipeline(printed, process.stdout, { end: false });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`gateway: ${message}`);
  if (error instanceof UsageError) console.error(`\n${usage}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
