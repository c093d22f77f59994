import { isAbsolute, relative } from 'node:path';

/** Where a gateway is and what opens it. */
export interface PublicAddress {
  baseUrl: string;
  /** Null where no console is served. */
  consoleUrl: string | null;
  /** Null where it was shown before: what is printed at each start ends in a journal. */
  token: string | null;
  /** The path of the file that keeps the token, for a shell to read; null where the shell's user has none. */
  tokenFile: string | null;
}

/** What the person who started the gateway is shown once it can be used. */
export function startupBanner(door: PublicAddress, models: readonly string[]): string {
  const { baseUrl, consoleUrl, token, tokenFile } = door;
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
${tokenLines(token, tokenFile)}

  Try it:

curl -N ${baseUrl}/v1/chat/completions ${headers} -d ${quoted(body)}
`;
}

/** The shortest path by which a shell in `folder` finds a file. */
export function pathFrom(folder: string, file: string): string {
  const path = relative(folder, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

function tokenLines(token: string | null, tokenFile: string | null): string {
  if (token === null) return `  Token      in ${tokenFile}`;
  return `  Token      ${token}${tokenFile === null ? '' : `\n             (kept in ${tokenFile}; not shown again)`}`;
}

/** A path as one word of a shell. */
function word(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : quoted(path);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
