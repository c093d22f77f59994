/** The environment variable from which the code reads the secret of the token. */
export const secretVariable = 'MODEL_GATEWAY_TOKEN';
export const secretPlaceholder = 'YOUR_TOKEN';

/** Returns the line for a shell that sets the variable from which the code reads the secret. */
export function setSecret(secret: string | undefined): string {
  return `export ${secretVariable}=${shellWord(secret || secretPlaceholder)}`;
}

/** Writes a text as one word of a POSIX shell, in single quotes unless it needs none. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
