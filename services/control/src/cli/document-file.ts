import { readFileSync } from 'node:fs';
import { readYaml } from '../common/yaml-text.ts';
import { CommandError, UsageError } from './exit-codes.ts';

/** Reads a file, or standard input for `-`. @throws CommandError if it cannot be read */
export function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`, 2);
  }
}

/** Reads a mapping in YAML or JSON from a file, or from standard input for `-`. @throws UsageError if it holds something else */
export function readMapping(path: string): Record<string, unknown> {
  const read = readYaml(readText(path));
  if (read.problems)
    throw new UsageError(
      read.problems.map(({ path: at, reason }) => [path, at, reason].filter(Boolean).join(': ')).join('\n'),
    );
  if (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value))
    throw new UsageError(`${path} must hold a mapping of fields`);
  return read.value as Record<string, unknown>;
}
