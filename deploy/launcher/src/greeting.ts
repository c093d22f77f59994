/** Where a gateway is and what opens it. */
export interface Door {
  baseUrl: string;
  /** Null where no console is served. */
  consoleUrl: string | null;
  token: string;
}

/** What the person who started the gateway is shown once it can be used. */
export function greeting({ baseUrl, consoleUrl, token }: Door, models: readonly string[]): string {
  const model = models.includes('sim-1') ? 'sim-1' : (models[0] ?? 'the-name-of-a-model');
  const body = JSON.stringify({
    model,
    stream: true,
    messages: [{ role: 'user', content: 'What are you?' }],
  });
  const headers = `-H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`;
  return `
  Model Gateway is ready.

  Base URL   ${baseUrl}${consoleUrl ? `\n  Console    ${consoleUrl}` : ''}
  Token      ${token}

  Try it:

curl -N ${baseUrl}/v1/chat/completions ${headers} -d '${body.replaceAll("'", "'\\''")}'
`;
}
