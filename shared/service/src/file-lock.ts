import { DatabaseSync } from 'node:sqlite';

const busy = 5;

/**
 * Locks a file, which it creates, until the lock is disposed of or this process ends, however it ends. Returns undefined
 * if the file is locked. Node has no file locks. SQLite uses those of the operating system, so a killed process leaves
 * no lock behind.
 */
export function lockFile(path: string): Disposable | undefined {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === busy) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}
