import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '@model-gateway/service/configuration';
import { Problem } from './problem.ts';

/** The permission bits of all users but the owner. */
const othersMay = 0o077;
const elsewhere = 'or set GATEWAY_DATA to another folder';

/**
 * Creates the folder that holds all state, or opens it, so that no other user can enter it. The mode of the files inside
 * does not protect them: the embedded database gives its files mode 666 whatever the umask.
 * @param say prints a line if the folder was open to other users
 * @throws Problem if the folder cannot be closed to other users, or contains files of another user
 */
export async function openDataFolder(path: string, say: (line: string) => void): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new Problem(`GATEWAY_DATA: the folder ${path} cannot be created (${error.code})`, { cause: error });
  });
  if (process.geteuid === undefined) return;
  const user = process.geteuid();
  const found = await stat(path);
  if (found.uid !== user) {
    const owner = `belongs to another user (uid ${found.uid}), who could read and change everything stored there`;
    throw new Problem(`GATEWAY_DATA: ${path} ${owner}; chown it to uid ${user}, ${elsewhere}`);
  }
  if (found.mode & othersMay) {
    await close(path, found);
    if ((await stat(path)).mode & othersMay) {
      const why = 'is open to other users, and its file system does not allow a change of mode';
      throw new Problem(`GATEWAY_DATA: ${path} ${why}; mount it with mode 700, ${elsewhere}`);
    }
    const mode = (found.mode & 0o777).toString(8);
    say(`GATEWAY_DATA: ${path} was open to other users (mode ${mode}) and has been closed to them`);
  }
  for (const name of await readdir(path)) await takeOver(join(path, name), user);
}

/** Closes an entry of the folder to other users. Deeper entries are then out of their reach. */
async function takeOver(path: string, user: number): Promise<void> {
  const found = await lstat(path);
  // The file system's lost+found belongs to root, which needs no permission anyway.
  if (found.uid === 0 && user !== 0) return;
  if (found.uid !== user) {
    const owner = `was put there by another user (uid ${found.uid})`;
    throw new Problem(`GATEWAY_DATA: ${path} ${owner}; remove it, ${elsewhere}`);
  }
  if (!found.isSymbolicLink() && found.mode & othersMay) await close(path, found);
}

function close(path: string, { mode }: Stats): Promise<void> {
  return chmod(path, mode & 0o777 & ~othersMay);
}

/** Locks a data folder until this process ends, however it ends. @throws Problem if another gateway runs there */
export function lockDataFolder(folder: string): Disposable {
  const lock = lockFile(join(folder, 'lock'));
  if (lock) return lock;
  throw new Problem(`GATEWAY_DATA: another gateway runs in ${folder}; set GATEWAY_DATA to another folder`);
}
