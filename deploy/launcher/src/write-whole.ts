import { rename, writeFile } from 'node:fs/promises';

/** Writes a file that only its owner may read, so that nobody ever finds half of it. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const beside = `${file}.${process.pid}.new`;
  await writeFile(beside, text, { mode: 0o600 });
  await rename(beside, file);
}
