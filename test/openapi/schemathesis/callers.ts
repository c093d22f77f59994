import type { ProjectRole } from '@model-gateway/admin-api';
import type { ReadyFile } from '../../launcher/launched.ts';

/** Someone who calls the gateway. */
export interface Caller {
  name: string;
  /** The role in the project `lab`, or `admin`; undefined for a client and for nobody. */
  role: ProjectRole | 'admin' | undefined;
  headers: Record<string, string>;
}

/** The project in which callers have a role, and one whose name only an admin may see. */
export const projects = { own: 'lab', hidden: 'hidden-from-all-but-admins' } as const;

const password = 'a long password of the tests';

/** Makes the projects, a token in each, and a caller of each kind. */
export async function makeCallers(gateway: ReadyFile): Promise<Caller[]> {
  const admin = { authorization: `Bearer ${gateway.adminToken}` };
  const api = (method: string, path: string, body: object) => send(gateway, method, path, body, admin);
  for (const project of Object.values(projects)) {
    await api('PUT', `/projects/${project}`, {});
    await api('POST', '/tokens', { name: `of ${project}`, project });
  }
  const member = async (role: ProjectRole): Promise<Caller> => {
    await api('PUT', `/users/${role}`, {});
    await api('PUT', `/projects/${projects.own}/members/${role}`, { role });
    await api('POST', `/users/${role}/password`, { password });
    const { headers } = await send(gateway, 'POST', '/session', { user: role, password }, {});
    const [cookie = ''] = headers.getSetCookie().map(text => text.split(';')[0]);
    return { name: role, role, headers: { cookie, 'x-gateway-csrf': '1' } };
  };
  return [
    { name: 'nobody', role: undefined, headers: {} },
    { name: 'client', role: undefined, headers: { authorization: `Bearer ${gateway.token}` } },
    await member('viewer'),
    await member('member'),
    await member('manager'),
    { name: 'admin', role: 'admin', headers: admin },
  ];
}

async function send(
  { baseUrl }: ReadyFile,
  method: string,
  path: string,
  body: object,
  headers: Record<string, string>,
): Promise<Response> {
  const answer = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path} got ${answer.status}: ${await answer.text()}`);
  return answer;
}
