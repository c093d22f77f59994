#!/usr/bin/env node
import { pipeline } from 'node:stream/promises';
import { exitCodeFor } from './exit-codes.ts';
import { gateway } from './gateway.ts';

try {
  const { printed, exitCode } = await gateway(process.argv.slice(2), process.env);
  if (typeof printed === 'string') console.log(printed);
  else await pipeline(printed, process.stdout, { end: false });
  process.exitCode = exitCode;
} catch (error) {
  console.error(`gateway: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = exitCodeFor(error);
}
