import { isAbsolute, relative } from 'node:path';

/** The addresses and the token of a gateway. */
interface PublicAddress {
  baseUrl: string;
  /** Null if no console is served. */
  consoleUrl: string | null;
  /** Null if it was printed before, since the output of each start may end up in a journal. */
  token: string | null;
  /** The path of the token file, for a shell to read; null if the shell's user has no access to it. */
  tokenFile: string | null;
  /** The place of the first admin's password; null once it was changed. */
  adminPassword: string | null;
}

/** Returns the text that is printed once the gateway is ready. */
export function startupBanner(address: PublicAddress, models: readonly string[]): string {
  const { baseUrl, consoleUrl, token, tokenFile, adminPassword } = address;
  const model = models.includes('sim-1') ? 'sim-1' : (models[0] ?? 'the-name-of-a-model');
  const body = JSON.stringify({
    model,
    stream: true,
    messages: [{ role: 'user', content: 'What are you?' }],
  });
  const bearer = tokenFile === null ? token : `$(cat ${word(tokenFile)})`;
  const headers = `-H "Authorization: Bearer ${bearer}" -H 'Content-Type: application/json'`;
  return `
  Model Gateway is ready.

  Base URL   ${baseUrl}${consoleUrl ? `\n  Console    ${consoleUrl}` : ''}
${tokenLines(token, tokenFile)}${adminPassword ? `\n  Admin      user admin, password in ${adminPassword}` : ''}

  Try it:

curl -N ${baseUrl}/v1/chat/completions ${headers} -d ${quoted(body)}
`;
}

/** Returns a file's path relative to `folder`, or its absolute path if it is not below `folder`. */
export function pathFrom(folder: string, file: string): string {
  const path = relative(folder, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

function tokenLines(token: string | null, tokenFile: string | null): string {
  if (token === null) return `  Token      in ${tokenFile}`;
  return `  Token      ${token}${tokenFile === null ? '' : `\n             (stored in ${tokenFile}; not shown again)`}`;
}

/** Quotes a path as one shell word, if necessary. */
function word(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : quoted(path);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
