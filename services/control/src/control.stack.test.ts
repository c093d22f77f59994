import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PoolSealer, unsealProvider } from '@model-gateway/catalog';
import { createLog, PoolKeys } from '@model-gateway/service';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from './database/open.ts';
import { catalogText } from './testing/catalog.ts';
import { Stage, untilKnown, untilRefused } from './testing/stage.ts';
import { databaseKinds, isMissing } from './testing/test-database.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.set();
});
afterEach(() => stage.clear());

for (const kind of databaseKinds)
  test.skipIf(isMissing(kind))(
    `tokens and models are created, published and removed, also across a restart, on ${kind}`,
    async () => {
      const env = {
        ...(await stage.withCatalog(catalogText('fast'))),
        ...(kind === 'PostgreSQL' && { DATABASE_URL: await stage.postgres() }),
      };
      const first = await stage.control(env);
      const access = await stage.access();
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const { token: oneSecret, ...one } = await first.issue({ name: 'one' });
      expect(await untilKnown(access, oneSecret)).toMatchObject({
        id: one.id,
        project: 'default',
        expiresAt: null,
      });
      const { token: twoSecret, ...two } = await first.issue({ name: 'two', project: 'lab', expiresAt });
      expect(await untilKnown(access, twoSecret)).toMatchObject({
        project: 'lab',
        expiresAt: Date.parse(expiresAt),
      });
      expect(await first.tokens()).toEqual([two, one]);

      expect((await first.api('DELETE', `/tokens/${one.id}`)).status).toBe(204);
      await untilRefused(access, oneSecret);
      expect((await first.api('DELETE', `/tokens/${one.id}`)).status).toBe(404);
      await first.stop();

      const second = await stage.control(env);
      expect(await second.tokens()).toEqual([two]);
      const fresh = await stage.access();
      expect((await untilKnown(fresh, twoSecret)).name).toBe('two');
      await untilRefused(fresh, oneSecret);
      const models = (await stage.catalog()).models();
      expect(models).toMatchObject([{ name: 'fast', position: 0, timeouts: { total: 1_800_000 } }]);
      expect(Math.abs((models[0]?.created ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    },
  );

test('the first token exists from the start, and stays revoked after a restart', async () => {
  const GATEWAY_FIRST_TOKEN = `sk-${'first'.repeat(8)}`;
  const env = { GATEWAY_DATA: await stage.folder(), GATEWAY_FIRST_TOKEN };
  const first = await stage.control(env);
  const access = await stage.access();
  const token = await untilKnown(access, GATEWAY_FIRST_TOKEN);
  expect(token).toMatchObject({ name: 'first', project: 'default', expiresAt: null });
  await first.api('DELETE', `/tokens/${token.id}`);
  await first.stop();
  const second = await stage.control(env);
  await untilRefused(access, GATEWAY_FIRST_TOKEN);
  expect(await second.tokens()).toEqual([]);
});

test('a first token that is set by its SHA-256 is the same token as the one that is set by its secret', async () => {
  const secret = `sk-${'first'.repeat(8)}`;
  const GATEWAY_FIRST_TOKEN_SHA256 = createHash('sha256').update(secret).digest('hex');
  const GATEWAY_DATA = await stage.folder();
  const file = join(GATEWAY_DATA, 'first');
  writeFileSync(file, `${GATEWAY_FIRST_TOKEN_SHA256.toUpperCase()}\n`);
  const first = await stage.control({ GATEWAY_DATA, GATEWAY_FIRST_TOKEN_SHA256_FILE: file });
  const access = await stage.access();
  const { id } = await untilKnown(access, secret);
  const prefix = `sha256:${GATEWAY_FIRST_TOKEN_SHA256.slice(0, 8)}`;
  expect(await first.tokens()).toMatchObject([{ id, name: 'first', project: 'default', prefix }]);
  await first.stop();
  const second = await stage.control({ GATEWAY_DATA, GATEWAY_FIRST_TOKEN: secret });
  expect(await second.tokens()).toMatchObject([{ id, prefix }]);
  await second.stop();

  const both = { GATEWAY_DATA, GATEWAY_FIRST_TOKEN: secret, GATEWAY_FIRST_TOKEN_SHA256 };
  await expect(stage.control(both)).rejects.toMatchObject({
    name: 'ConfigError',
    message: 'GATEWAY_FIRST_TOKEN and GATEWAY_FIRST_TOKEN_SHA256: set one of them, not both',
  });
  const wrong = { GATEWAY_DATA, GATEWAY_FIRST_TOKEN_SHA256: secret };
  await expect(stage.control(wrong)).rejects.toThrow('GATEWAY_FIRST_TOKEN_SHA256: must be a SHA-256 in hex');
});

test('an admin token, a master key and keys of pools that are not set are created, readable by the owner only', async () => {
  const { GATEWAY_DATA, ...env } = await stage.withCatalog(catalogText('fast'));
  const control = await stage.control({ ...env, GATEWAY_DATA, GATEWAY_ADMIN_TOKEN: '' });
  const path = join(GATEWAY_DATA, 'admin-token');
  const stored = readFileSync(path, 'utf8').trim();
  expect((await control.api('GET', '/tokens', undefined, stored)).status).toBe(200);
  for (const file of ['admin-token', 'master-key', 'pool-keys/default']) {
    expect(statSync(join(GATEWAY_DATA, file)).mode & 0o777).toBe(0o600);
  }
});

test('secrets are sealed in KV, database and files, and the key of their pool opens those in KV', async () => {
  const env = await stage.withCatalog(catalogText('fast'));
  const control = await stage.control(env);
  const { token } = await control.issue();
  const catalog = await stage.catalog();
  const house = catalog.provider('house');
  const open = (pool: string) =>
    house && unsealProvider(new PoolSealer(new PoolKeys(env).of(pool)), house).apiKey;
  expect(open('default')).toEqual({ value: 'secret-by-value' });
  expect(() => open('other')).toThrow('cannot be opened with the key of this pool');
  expect(catalog.provider('openai')?.apiKey).toEqual({ env: 'OPENAI_API_KEY' });
  const kv = JSON.stringify([...(await stage.read('access')), ...(await stage.read('catalog'))]);
  await control.stop();

  const { db, close } = await openDatabase(env, createLog('control', 'silent'));
  const rows = ['projects', 'tokens', 'providers', 'models'].map(table =>
    db.execute(sql.raw(`select * from ${table}`)),
  );
  const dump = JSON.stringify(await Promise.all(rows));
  await close();
  const files = readdirSync(join(env.GATEWAY_DATA, 'control'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join();
  for (const [place, text] of Object.entries({ kv, dump, files })) {
    const found = ['OPENAI_API_KEY', 'secret-by-value', 'secret-header', token].filter(part =>
      text.includes(part),
    );
    expect([place, found]).toEqual([place, ['OPENAI_API_KEY']]);
  }
});
