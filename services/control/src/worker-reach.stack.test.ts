import { createHash, randomUUID } from 'node:crypto';
import { callKeyName, proofOf } from '@model-gateway/access';
import { type Bus, connectBus, UsageWriter } from '@model-gateway/bus';
import { urlFor } from '@model-gateway/bus/testing';
import { type Catalog, openCatalog, PoolSealer, PurposeSealer, type Sealer } from '@model-gateway/catalog';
import { PoolKeys, readMasterKey } from '@model-gateway/service';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { codeOf } from './people/command-grant.ts';
import type { TestControl } from './testing/control.ts';
import { Stage } from './testing/stage.ts';
import { attemptId, usageRecord } from './testing/usage-record.ts';

const pool = 'other';
const text = `
providers:
  - { name: theirs, kind: openai, apiKey: { value: sk-theirs }, headers: { x-team: their-team } }
  - name: many
    kind: openai
    apiKeys: [ { key: { value: sk-first } }, { key: { value: sk-second } } ]
    proxy: { url: "http://proxy:3128", username: me, password: { value: their-password } }
  - { name: own, kind: openai, pool: ${pool}, apiKey: { value: sk-own }, headers: { x-team: own-team } }
models:
  - { name: fast, targets: [ { provider: theirs, model: m } ] }
`;

let stage: Stage;
let control: TestControl;
let env: { GATEWAY_DATA: string; GATEWAY_CONFIG: string };
/** The connection of whoever has the user of the workers of a pool. */
let bus: Bus;
let poolKey: Buffer;
beforeAll(async () => {
  stage = await Stage.set();
  env = await stage.withCatalog(text);
  control = await stage.control({
    ...env,
    GATEWAY_OIDC_ISSUER: 'http://127.0.0.1:9',
    GATEWAY_OIDC_CLIENT_ID: 'gateway',
    GATEWAY_PUBLIC_URL: 'http://127.0.0.1',
  });
  bus = await connectBus({ url: urlFor(stage.nats.url, 'worker', pool), name: 'worker' });
  poolKey = new PoolKeys(env).of(pool);
});
afterAll(async () => {
  await bus?.close();
  await stage?.clear();
});

/** Returns every sealed text of a provider. */
function sealedOf(catalog: Catalog, name: string): string[] {
  return [...JSON.stringify(catalog.provider(name)).matchAll(/"sealed":"([^"]+)"/g)].map(
    ([, sealed]) => sealed as string,
  );
}

function opens(sealer: Sealer, name: string, sealed: string): boolean {
  try {
    sealer.unseal(name, { sealed });
    return true;
  } catch {
    return false;
  }
}

test("the key of a pool opens its providers' secrets, and the user of its workers reads no others that open", async () => {
  const { catalog, watch } = await openCatalog(bus);
  const sealers = [
    new PoolSealer(poolKey),
    // Neither does the master key.
    new PoolSealer(readMasterKey(env)),
    new PurposeSealer(readMasterKey(env), 'providers'),
  ];
  for (const name of ['theirs', 'many']) {
    const all = sealedOf(catalog, name);
    expect(all.length).toBeGreaterThan(1);
    for (const sealed of all)
      expect(sealers.map(sealer => opens(sealer, name, sealed))).toEqual(sealers.map(() => false));
  }
  const own = sealedOf(catalog, 'own').map(sealed => sealers[0]?.unseal('own', { sealed }));
  expect(own.sort()).toEqual(['own-team', 'sk-own']);
  watch.stop();
});

test('neither the key of a pool nor the master key makes a session', async () => {
  const { id: userId } = (await control.api('GET', '/users/admin')).body as { id: string };
  const verifier = 'v'.repeat(43);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const grant = { challenge, port: 1, state: 'x'.repeat(43), id: '', userId, name: 'admin', endsAt: 0 };
  const exchange = async (sealer: Sealer) => {
    const code = codeOf(sealer, { ...grant, id: randomUUID() });
    return (await control.api('POST', '/session/code', { code, verifier }, '')).status;
  };
  for (const key of [poolKey, readMasterKey(env)])
    for (const sealer of [new PoolSealer(key), new PurposeSealer(key, 'providers')])
      expect(await exchange(sealer)).toBe(401);
  expect(await exchange(new PurposeSealer(poolKey, 'sign-in'))).toBe(401);
  // That of control itself does, so the codes above failed by their keys alone.
  expect(await exchange(new PurposeSealer(readMasterKey(env), 'sign-in'))).toBe(201);
});

test('a worker records usage of the requests that it got, and of no other token', async () => {
  const published = (await stage.read('access')).get(callKeyName) as { key: string };
  const writer = new UsageWriter(bus, { pool });
  const got = usageRecord(1);
  const proof = proofOf(published.key, got);
  writer.add({ ...got, proof });
  const forged = [
    usageRecord(2),
    { ...usageRecord(3), proof },
    { ...got, id: attemptId(4), tokenId: 'victim', proof },
    { ...got, id: attemptId(5), project: 'victim', proof },
    { ...got, id: attemptId(6), owner: 'victim', proof },
    { ...got, id: attemptId(7), proof: proofOf(Buffer.from(poolKey).toString('base64'), got) },
  ];
  for (const record of forged) writer.add(record);
  // An ingress records attempts whose worker was lost; no worker may write there.
  const ofIngress = new UsageWriter(stage.bus);
  ofIngress.add(usageRecord(8));
  await Promise.all([writer.close(), ofIngress.close()]);
  await vi.waitFor(
    async () => {
      const { body: rejected } = await control.api('GET', '/usage/rejected');
      const { body: usage } = await control.api('GET', '/usage?limit=100');
      expect((usage as { data: { id: string }[] }).data.map(({ id }) => id).sort()).toEqual(
        [1, 8].map(attemptId),
      );
      expect((rejected as { data: { reason: string }[] }).data.map(({ reason }) => reason)).toEqual(
        forged.map(() => expect.stringContaining('has no proof')),
      );
      expect(await control.metrics()).toMatch(/^gateway_ledger_rejected_total 6$/m);
    },
    { timeout: 60_000 },
  );
});
