import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Writes a file that only its owner may read, so that nobody ever finds half of it, or finds it open. */
export async function writeWhole(file: string, text: string): Promise<void> {
  // In a folder where others may write, nobody can lay a file of his own under a name that he cannot guess.
  const beside = `${file}.${randomUUID()}.new`;
  await writeFile(beside, text, { mode: 0o600, flag: 'wx' });
  try {
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
