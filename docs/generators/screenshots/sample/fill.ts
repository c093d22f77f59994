import type { Console } from '../../../../test/browser/console.ts';
import { sampleProjects } from './config.ts';
import type { SampleToken } from './history.ts';

/** The model of the last request that ends. */
export const lastModel = 'house/fault-429';

/** A token with its secret. */
interface IssuedSample extends SampleToken {
  secret: string;
}

/** Makes the projects, users, tokens and entries of the sample. */
export async function fillSample(console: Console): Promise<IssuedSample[]> {
  const tokens: IssuedSample[] = [];
  for (const { name, owners, budget, team } of sampleProjects) {
    await console.admin('PUT', `/projects/${name}`, {
      budget: { amount: budget, period: 'month' },
      limits: { requestsPerMinute: 600 },
      allowUnpriced: true,
    });
    for (const [place, owner] of owners.entries()) {
      await console.admin('PUT', `/users/${owner}`, {});
      await console.admin('PATCH', `/users/${owner}/login`, { email: `${owner}@example.com` });
      const role = place === 0 ? 'manager' : 'member';
      await console.admin('PUT', `/projects/${name}/members/${owner}`, { role });
      for (const use of ['production', 'staging', 'notebook']) {
        const settings = {
          ...{ name: `${team}-${use}`, project: name, owner, tags: { team, env: use } },
          ...(use === 'notebook' && { budget: { amount: 20, period: 'week' }, models: ['small', 'house/*'] }),
          ...(use === 'staging' && { limits: { requestsPerMinute: 60, concurrency: 4 } }),
        };
        const { id, token } = await console.admin('POST', '/tokens', settings);
        tokens.push({ id, project: name, owner, secret: token });
      }
    }
  }
  await makeEntries(console);
  return tokens;
}

async function makeEntries(console: Console): Promise<void> {
  await console.admin('PUT', '/providers/lab', {
    ...{ kind: 'openai-compatible', baseUrl: `${console.simulator.url}/v1`, apiKey: { value: 'sk-lab' } },
  });
  await console.admin('PUT', '/models/draft', {
    targets: [
      { provider: 'lab', model: 'sim-1' },
      { provider: 'gpu-west', model: 'sim-fast' },
    ],
    strategy: 'fastest',
    hedgeAfter: '2s',
  });
  const expiresAt = new Date(Date.now() + 90 * 86_400_000).toISOString();
  await console.admin('POST', '/accounts', { name: 'deploy-bot', role: 'admin', expiresAt });
}

/** Sends live requests: whole and streamed, in several formats, with failovers, refusals, and some that go on while pictures are made. */
export async function sendTraffic(
  { gateway: { baseUrl } }: Console,
  tokens: readonly IssuedSample[],
  signal: AbortSignal,
): Promise<void> {
  const send = (place: number, path: string, body: object, wait = true) => {
    const token = tokens[place % tokens.length] as IssuedSample;
    const sent = fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    }).then(response => response.text());
    return wait ? sent : sent.catch(() => '');
  };
  const messages = [{ role: 'user', content: 'Which regions are served by the new cluster?' }];
  const chat = (model: string, stream = false) => ({ model, messages, ...(stream && { stream }) });
  for (let place = 0; place < 90; place += 3) {
    await Promise.all([
      send(place, '/v1/chat/completions', chat('assistant', place % 2 === 0)),
      send(place + 1, '/v1/chat/completions', chat('steady')),
      send(place + 2, '/v1/messages', { ...chat('small'), max_tokens: 200 }),
    ]);
  }
  await send(0, '/v1/embeddings', { model: 'embedding', input: ['one', 'two'] });
  await send(0, '/v1/chat/completions', chat(lastModel));
  // They take minutes, and are on the page of running requests.
  for (const place of [0, 3, 6, 9])
    void send(place, '/v1/chat/completions', chat('house/sim-t2000-i100ms', true), false);
}
