import type { Answer, TestControl } from './control.ts';

/** A user who is signed in. */
export interface Person {
  name: string;
  password: string;
  /** The session cookie, as name and value. */
  cookie: string;
  /** Sends a request with the session, as the console does. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export const testPassword = 'correct horse battery';

/** Makes a user with a password, and signs in. */
export async function makePerson(control: TestControl, name: string, role?: 'admin'): Promise<Person> {
  await control.api('PUT', `/users/${encodeURIComponent(name)}`, {});
  await control.api('POST', `/users/${encodeURIComponent(name)}/password`, { password: testPassword });
  if (role) await control.api('PATCH', `/users/${encodeURIComponent(name)}/login`, { role });
  return personWith(control, name, testPassword, cookieOf(await signIn(control, name, testPassword)));
}

/** Asks for a session. */
export async function signIn(
  control: TestControl,
  user: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(control, 'POST', '/session', { user, password }, headers);
}

/** Returns the cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  const [cookie = ''] = headers.getSetCookie();
  return cookie.split(';')[0] as string;
}

export function personWith(control: TestControl, name: string, password: string, cookie: string): Person {
  return {
    ...{ name, password, cookie },
    api: (method, path, body, headers) =>
      send(control, method, path, body, { cookie, 'x-gateway-csrf': '1', ...headers }),
  };
}

/** Sends a request without a bearer. */
export async function send(
  control: TestControl,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const answer = fetch(`${control.url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const [response, text] = await control.answered(
    answer.then(async response => [response, await response.text()] as const),
  );
  const isJson = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
}
