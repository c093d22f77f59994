import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { usageGroups } from '@model-gateway/admin-api';
import { noUsage } from '@model-gateway/canonical';
import { drizzle } from 'drizzle-orm/pglite';
import { listActs } from '../../services/control/src/audit/read.ts';
import { recordAct, withoutRequest } from '../../services/control/src/audit/record.ts';
import { applyCatalog, wholeCatalog } from '../../services/control/src/catalog.ts';
import { parseCatalogText } from '../../services/control/src/catalog-file.ts';
import type { Database } from '../../services/control/src/database/database.ts';
import { createAccount, listAccounts } from '../../services/control/src/people/accounts.ts';
import { editLogin, findLogin } from '../../services/control/src/people/logins.ts';
import { listMembers, rolesOf, setMember } from '../../services/control/src/people/members.ts';
import { Sessions } from '../../services/control/src/people/sessions.ts';
import { SignInAttempts } from '../../services/control/src/people/sign-in-attempts.ts';
import {
  deleteGroup,
  ensureGroup,
  listGroups,
  projectGroups,
  setGroup,
  userGroups,
} from '../../services/control/src/token-groups.ts';
import { listTokens } from '../../services/control/src/token-list.ts';
import { allTokens, issueToken, revokeToken, tokenOfSecret } from '../../services/control/src/tokens.ts';
import { addToLedger } from '../../services/control/src/usage/ledger.ts';
import { listUsage } from '../../services/control/src/usage/read.ts';
import { keepRejected, listRejected } from '../../services/control/src/usage/rejected.ts';
import { toRow } from '../../services/control/src/usage/row.ts';
import { totalUsage } from '../../services/control/src/usage/totals.ts';
import { overtake } from '../../services/control/src/versions.ts';
import { migrateTo, migrationHashes } from './migrations.ts';
import { Recorder, type VersionBefore } from './statements.ts';

/** Holds the use of the database by the version that was released last; absent before the first release. */
export const beforeFile = resolve(import.meta.dirname, 'before.json');

const key = new Uint8Array(32);
const at = Date.UTC(2026, 0, 1);
const id = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const catalogs = [
  `providers:
  - { name: house, kind: openai-compatible, baseUrl: "http://127.0.0.1:1/v1", apiKey: { value: sealed } }
  - { name: openai, kind: openai, apiKey: { env: OPENAI_API_KEY } }
models:
  - { name: fast, targets: [ { provider: house, model: small } ] }
  - { name: slow, targets: [ { provider: openai, model: large } ] }
projects:
  - { name: lab, storeResponses: false }
users:
  - { name: ada, budget: { amount: 10, period: month } }
`,
  `providers:
  - { name: openai, kind: openai, apiKey: { env: OPENAI_API_KEY } }
models:
  - { name: fast, targets: [ { provider: openai, model: large } ] }
`,
];

/** A usage record, and the row that this version writes for it. */
function row(n: number, more: object = {}) {
  const usage = { ...noUsage, input: 10, output: n, units: { images: 2 }, raw: { output_tokens: n } };
  const record = {
    ...{ id: id(n), requestId: `req_${n}`, at, ms: 12, firstMs: 3, operation: 'generate', format: 'chat' },
    ...{ stream: true, model: 'fast', provider: 'house', upstreamModel: 'small', tokenId: 'token' },
    ...{ project: 'lab', outcome: 'answered', charged: true, usage },
    ...more,
  };
  return toRow(record, at).row;
}

async function write(db: Database): Promise<string> {
  const { id: revoked } = await issueToken(db, { name: 'one', project: 'default', expiresAt: null });
  const expiresAt = new Date(Date.UTC(2100, 0, 1));
  const { secret } = await issueToken(db, { name: 'two', project: 'lab', expiresAt });
  await revokeToken(db, revoked);
  for (const text of catalogs) {
    const { catalog } = parseCatalogText(text);
    if (!catalog) throw new Error('this catalog cannot be read');
    await applyCatalog(db, key, catalog, 'gateway.yaml');
  }
  for (const name of ['lab', 'gone']) {
    await setGroup(db, projectGroups, name, { weight: 2 });
    await setGroup(db, userGroups, name, { budget: { amount: 1, period: 'day' } });
  }
  await deleteGroup(db, projectGroups, 'gone');
  await deleteGroup(db, userGroups, 'gone');
  await addToLedger({ db }, [row(1), row(2, { byCaller: true, outcome: 'lost', usage: null })]);
  await addToLedger({ db }, [row(1), row(2), row(3)]);
  await keepRejected(db, { odd: true }, 'it has no id');
  await writePeople(db);
  await overtake(db, { highest: 1_000, revoked: [], ahead: false });
  return secret;
}

/** Writes a user who signs in, with a role in a project, a service account, and an act. */
async function writePeople(db: Database): Promise<void> {
  const [userId, projectId] = [
    await ensureGroup(db, userGroups, 'ada'),
    await ensureGroup(db, projectGroups, 'lab'),
  ];
  await editLogin(db, userId, { email: 'ada@example.com', admin: true, password: 'a hash' });
  await setMember(db, { userId, projectId, role: 'manager' });
  await sessions(db).begin(db, userId);
  await new SignInAttempts(db).count('ada', '192.0.2.1');
  await createAccount(db, {
    name: 'ci',
    role: 'viewer',
    projectIds: [projectId],
    expiresAt: new Date(Date.UTC(2100, 0, 1)),
  });
  const subject = { kind: 'user', id: userId, name: 'ada' } as const;
  await recordAct(db, withoutRequest('setting', 'GATEWAY_DATA'), {
    ...{ action: 'createFirstAdmin', subject, before: null, after: { role: 'admin' } },
  });
}

const sessions = (db: Database) => new Sessions(db, { idleMs: 3_600_000, longestMs: 3_600_000 });

async function readPeople(db: Database): Promise<void> {
  const login = await findLogin(db, 'ada');
  await rolesOf(db, login ? [login.userId] : []);
  await listMembers(db, 'lab', undefined, { limit: 100 });
  await listAccounts(db, undefined, { limit: 100 });
  await listActs(db, {}, { limit: 100 });
}

async function read(db: Database, secret: string): Promise<void> {
  for (const tokens of [allTokens, wholeCatalog]) await tokens(db);
  await listTokens(db, {}, { limit: 100 });
  await listGroups(db, projectGroups);
  await listGroups(db, userGroups);
  await tokenOfSecret(db, secret);
  await listUsage(db, {}, { limit: 100 });
  const filter = { token: 'token', project: 'lab', model: 'fast', provider: 'house' };
  const times = { from: new Date(at), to: new Date(at + 1) };
  await listUsage(db, { ...filter, ...times }, { limit: 100, after: id(3) });
  for (const group of usageGroups) await totalUsage(db, {}, group);
  await listRejected(db, { limit: 100 });
  await readPeople(db);
}

/** Returns this version's use of its database, with which the next version must stay compatible. */
export async function recordVersion(): Promise<VersionBefore> {
  const client = await PGlite.create();
  await migrateTo(client);
  const recorder = new Recorder();
  const db = drizzle({ client: recorder.record(client) });
  const secret = await write(db);
  const written = recorder.statements.length;
  await read(db, secret);
  await client.close();
  return {
    migrations: migrationHashes(),
    writes: recorder.statements.slice(0, written),
    reads: recorder.statements.slice(written),
  };
}

if (import.meta.main) {
  writeFileSync(beforeFile, `${JSON.stringify(await recordVersion(), undefined, 2)}\n`);
  console.log(`wrote ${beforeFile}`);
}
