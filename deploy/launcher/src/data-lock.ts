import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Problem } from './problem.ts';

const busy = 5;

/**
 * Holds a data folder for this process until it ends, however it ends. Node has no file locks of its own;
 * SQLite's are the operating system's, so a killed process leaves none behind.
 */
export function lockData(folder: string): Disposable {
  const database = new DatabaseSync(join(folder, 'lock'));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== busy) throw error;
    throw new Problem(`GATEWAY_DATA: another gateway runs in ${folder}; set GATEWAY_DATA to another folder`);
  }
  return { [Symbol.dispose]: () => database.close() };
}
