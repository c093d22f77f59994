import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFile } from '@model-gateway/service';
import { z } from 'zod/mini';

/** A gateway, and the file with the logins of this machine's user. */
export interface Target {
  url: string;
  loginFile: string;
}

const login = z.object({
  user: z.string(),
  /** The session cookie, as name and value. */
  cookie: z.string(),
});
type Login = z.infer<typeof login>;

/** The logins by the URL of the gateway. */
const logins = z.record(z.string(), login);

/** Reads the login for a gateway; undefined if there is none. @throws Error if the file cannot be read */
export function readLogin(path: string, url: string): Login | undefined {
  return readLogins(path)[url];
}

/** Keeps the login for a gateway, or forgets it if it is undefined. The file is readable by this user only. */
export async function keepLogin(path: string, url: string, kept: Login | undefined): Promise<void> {
  const { [url]: _, ...others } = readLogins(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify({ ...others, ...(kept && { [url]: kept }) }, null, 2)}\n`);
}

function readLogins(path: string): z.infer<typeof logins> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    return logins.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} is not a file of logins; remove it and sign in again`);
  }
}
