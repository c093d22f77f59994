import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Writes a file atomically, readable by its owner only. */
export async function writeWhole(file: string, text: string): Promise<void> {
  // The random name prevents other users from creating the file first in a folder where they may write.
  const beside = `${file}.${randomUUID()}.new`;
  await writeFile(beside, text, { mode: 0o600, flag: 'wx' });
  try {
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
