import createClient from 'openapi-fetch';
import type { paths } from './generated/schema.ts';

/** Makes, lists, changes, uses and revokes a token with the generated client, and returns the results. */
export async function use(baseUrl: string, adminToken: string) {
  const client = (token: string) =>
    createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const admin = client(adminToken);
  const created = await admin.POST('/api/v1/tokens', { body: { name: 'typed', tags: { team: 'search' } } });
  const { id, token } = present(created);
  if (token === null) throw new Error('the token has no secret');
  const listed = present(await admin.GET('/api/v1/tokens')).data.map(({ name }) => name);
  const path = { id };
  const tag = (await admin.GET('/api/v1/tokens/{id}', { params: { path } })).response.headers.get('etag');
  const header = { 'If-Match': tag ?? '' };
  const rename = (name: string) =>
    admin.PATCH('/api/v1/tokens/{id}', { params: { path, header }, body: { name } });
  const changed = present(await rename('renamed'));
  const { status: changedSince } = (await rename('too late')).response;
  // @ts-expect-error a name is a text
  await admin.PATCH('/api/v1/tokens/{id}', { params: { path }, body: { name: 1 } });
  const chat = () =>
    client(token).POST('/v1/chat/completions', {
      body: { model: 'sim-1', messages: [{ role: 'user', content: 'What are you?' }] },
    });
  const completion = present(await chat());
  if (typeof completion === 'string') throw new Error('the answer is a stream');
  const answer = completion.choices[0]?.message.content ?? '';
  await admin.DELETE('/api/v1/tokens/{id}', { params: { path } });
  const { response: afterRevocation } = await chat();
  const { response: unknownToken, error } = await admin.PATCH('/api/v1/tokens/{id}', {
    params: { path },
    body: { name: 'again' },
  });
  if (!error) throw new Error('a revoked token was changed');
  const statuses = [changedSince, afterRevocation.status, unknownToken.status];
  return { listed, changed, answer, statuses };
}

/** Returns the body of a successful response. */
function present<Body>({ data, response }: { data?: Body; response: Response }): Body {
  if (data === undefined) throw new Error(`status ${response.status}`);
  return data;
}
