/** What the person who started the gateway is shown once it can be used. */
export function greeting(baseUrl: string, token: string, models: readonly string[]): string {
  const model = models.includes('sim-1') ? 'sim-1' : (models[0] ?? 'the-name-of-a-model');
  const body = JSON.stringify({
    model,
    stream: true,
    messages: [{ role: 'user', content: 'What are you?' }],
  });
  const headers = `-H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`;
  return `
  Model Gateway is ready.

  Base URL   ${baseUrl}
  Token      ${token}

  Try it:

curl -N ${baseUrl}/v1/chat/completions ${headers} -d '${body.replaceAll("'", "'\\''")}'
`;
}
