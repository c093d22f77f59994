// `helm test`: sends requests to a running gateway like a client, and fails with a message if one fails.
const { GATEWAY_URL: url, GATEWAY_TOKEN: token, GATEWAY_MODEL: wanted } = process.env;

/** The timeout of a request, in milliseconds. */
const timeout = 60_000;

try {
  const { data: models } = await ask('/v1/models');
  const model = wanted ?? models[0]?.id;
  if (!model) throw new Error('the gateway lists no model: set the value test.model to one');
  const messages = [{ role: 'user', content: 'What are you?' }];
  const { choices } = await ask('/v1/chat/completions', { model, messages });
  const answer = choices[0]?.message.content;
  if (!answer) throw new Error(`${model} returned an empty answer`);
  process.stdout.write(`${url} lists ${models.length} models, and ${model} answers: ${answer}\n`);
} catch (error) {
  const { message, cause } = error as Error;
  process.stderr.write(`${url}: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}\n`);
  process.exitCode = 1;
}

async function ask(path: string, body?: object) {
  const response = await fetch(url + path, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(timeout),
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${text}`);
  return JSON.parse(text);
}
