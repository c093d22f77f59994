import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { newFolder, root } from './launched.ts';

/** Copies the project without anything that is installed or built. */
export function copyOfProject(): string {
  const folder = newFolder();
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of files.filter(name => name !== '' && existsSync(join(root, name))))
    cpSync(join(root, file), join(folder, file), { recursive: true, verbatimSymlinks: true });
  return folder;
}

/** PATH without this project's packages: the programs that a user has. */
export function usersPath(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter(folder => !folder.startsWith(root)).join(delimiter);
}
