import type { RoleEndpoint } from '@model-gateway/admin-api';
import type { Bus } from '@model-gateway/bus';
import type { ManualClock } from '@model-gateway/clock/testing';
import type { TestControl } from './control.ts';
import { newLogged } from './logged-request.ts';
import type { RunningProcess } from './running-process.ts';

/** The place of a request: a project, and the owner of the token in it. */
export interface Place {
  project: string;
  owner: string;
}

interface Scene extends Place {
  control: TestControl;
  bus: Bus;
  clock?: ManualClock;
  running?: RunningProcess;
}

/** A request, which can be sent once for each new entity of its path. */
interface Sample {
  /** Present if it is for one project, or for a token in it. */
  of?: 'project' | 'token';
  path(scene: Scene): string | Promise<string>;
  /** A body that changes what the path names, each time. */
  body?(scene: Scene): object;
}

let made = 0;
const year = () => new Date(Date.now() + 300 * 86_400_000).toISOString();
const none = () => ({});
const targets = [{ provider: 'served', model: 'one' }];

const put = async ({ control }: Scene, path: string, body: object) => {
  await control.api('PUT', path, body);
  return path;
};
const newToken = async ({ control, project, owner }: Scene) =>
  `/tokens/${(await control.issue({ name: 'one', project, owner })).id}`;
const newUser = (scene: Scene) => put(scene, `/users/user-${made++}`, {});
const newMember = async (scene: Scene) => {
  const user = (await newUser(scene)).split('/')[2];
  return put(scene, `/projects/${scene.project}/members/${user}`, { role: 'viewer' });
};
const newAccount = async ({ control }: Scene) => {
  const { body } = await control.api('POST', '/accounts', { name: 'a', role: 'admin', expiresAt: year() });
  return `/accounts/${(body as { id: string }).id}`;
};
const newProvider = (scene: Scene) => put(scene, `/providers/provider-${made++}`, { kind: 'openai' });
const newModel = async (scene: Scene) => {
  await put(scene, '/providers/served', { kind: 'openai' });
  return put(scene, `/models/model-${made++}`, { targets });
};
const newRequest = async ({ bus, control, project, clock }: Scene) =>
  `/requests/${await newLogged(bus, control, project, clock)}`;

const at = (path: string) => ({ path: () => path });
const below =
  (make: Sample['path'], rest: string): Sample['path'] =>
  async scene =>
    `${await make(scene)}/${rest}`;
const ofProject = (path: Sample['path']): Sample => ({ of: 'project', path });
const inProject = (path: string) => ofProject(({ project }) => `${path}?project=${project}`);
const theProject = ofProject(({ project }) => `/projects/${project}`);

/** A request for each endpoint that asks for a role. */
export const samples: Record<RoleEndpoint, Sample> = {
  listTokens: at('/tokens'),
  showToken: ofProject(newToken),
  createToken: {
    ...{ of: 'token', ...at('/tokens') },
    body: ({ project, owner }) => ({ name: 'n', project, owner }),
  },
  changeToken: { of: 'token', path: newToken, body: () => ({ name: `n${made++}` }) },
  rotateToken: { of: 'token', path: below(newToken, 'rotate'), body: none },
  revokeToken: { of: 'token', path: newToken },
  listProjects: at('/projects'),
  showProject: theProject,
  setProject: { ...theProject, body: () => ({ weight: 1 + made++ }) },
  deleteProject: theProject,
  listMembers: ofProject(({ project }) => `/projects/${project}/members`),
  showMember: ofProject(newMember),
  setMember: { ...ofProject(newMember), body: () => ({ role: 'manager' }) },
  removeMember: ofProject(newMember),
  listUsers: at('/users'),
  showUser: { path: newUser },
  setUser: { path: newUser, body: () => ({ budget: { amount: 1 + made++, period: 'day' } }) },
  deleteUser: { path: newUser },
  changeLogin: { path: below(newUser, 'login'), body: () => ({ email: `u${made++}@example.com` }) },
  removeLogin: {
    async path(scene) {
      const path = `${await newUser(scene)}/login`;
      await scene.control.api('PATCH', path, { disabled: true });
      return path;
    },
  },
  resetPassword: { path: below(newUser, 'password'), body: none },
  listAccounts: at('/accounts'),
  showAccount: { path: newAccount },
  createAccount: { ...at('/accounts'), body: () => ({ name: 'a', role: 'admin', expiresAt: year() }) },
  rotateAccount: { path: below(newAccount, 'rotate'), body: () => ({ expiresAt: year() }) },
  revokeAccount: { path: newAccount },
  listUsage: inProject('/usage'),
  exportUsage: inProject('/usage/export'),
  totalUsage: inProject('/usage/totals'),
  seriesUsage: inProject('/usage/series'),
  listRejected: at('/usage/rejected'),
  listRefused: inProject('/usage/refused'),
  totalRefused: inProject('/usage/refused/totals'),
  listRequests: inProject('/requests'),
  showRequest: ofProject(newRequest),
  deleteRequest: ofProject(newRequest),
  listRunning: at('/running-requests'),
  followRunning: at('/running-requests/follow?seconds=1'),
  endRunning: {
    of: 'token',
    path: ({ running, project, owner }) => `/running-requests/${running?.add({ project, owner }).requestId}`,
  },
  listAudit: inProject('/audit'),
  exportAudit: inProject('/audit/export'),
  showHealth: at('/health'),
  showDiagnostics: at('/diagnostics'),
  listProviders: at('/providers'),
  showProvider: { path: newProvider },
  setProvider: { path: newProvider, body: () => ({ kind: 'openai', pool: `p${made++}` }) },
  deleteProvider: { path: newProvider },
  listCatalogModels: at('/models'),
  showCatalogModel: { path: newModel },
  setModel: { path: newModel, body: () => ({ targets, retries: 1 }) },
  deleteModel: { path: newModel },
  testProvider: { path: below(newProvider, 'test'), body: () => ({ model: 'm' }) },
  testModel: { path: below(newModel, 'test'), body: none },
  showPrices: inProject('/prices'),
  showCatalog: at('/catalog'),
  applyCatalog: { ...at('/catalog?dryRun=true'), body: () => ({ providers: [], models: [] }) },
  adoptEntry: {
    ...at('/catalog/adopt'),
    body: ({ project }) => ({ kind: 'project', name: project }),
  },
  showSettings: at('/settings'),
};
