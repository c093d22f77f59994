import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '@model-gateway/service';
import { CommandError } from './exit-codes.ts';

/** A file to be written. */
export interface WantedFile {
  path: string;
  text: string;
}

/** Refuses to replace files with another content. @throws CommandError that names one */
export function assertFree(files: readonly WantedFile[]): void {
  const taken = files.find(({ path, text }) => existsSync(path) && readFileSync(path, 'utf8') !== text);
  if (taken) throw new CommandError(`${taken.path} exists, with another content; --force replaces it`, 2);
}

/** Writes files that only their owner may read. */
export async function writeFiles(files: readonly WantedFile[]): Promise<void> {
  for (const { path, text } of files) await replaceFile(path, text);
}

/** Reads a file of the command line. @throws CommandError that names it */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CommandError(`${path} cannot be read`, 2, { cause });
  }
}
