import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '@model-gateway/service';
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

/** A file to be written. */
export interface RequestedFile {
  path: string;
  text: string;
}

/** Refuses to replace files with another content. @throws CommandError that names one */
export function assertFree(files: readonly RequestedFile[]): void {
  const taken = files.find(({ path, text }) => existsSync(path) && readFileSync(path, 'utf8') !== text);
  if (taken) throw new CommandError(`${taken.path} exists, with another content; --force replaces it`, 2);
}

/** Writes files that only their owner may read. */
export async function writeFiles(files: readonly RequestedFile[]): Promise<void> {
  for (const { path, text } of files) await replaceFile(path, text);
}
