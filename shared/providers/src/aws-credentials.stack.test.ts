import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayError } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AwsKeys, credentialsOf, refreshed } from './aws-credentials.ts';

const minute = 60_000;

describe('keys that expire', () => {
  let clock: ManualClock;
  let fetched = 0;
  let fails = false;
  const fetch = async (): Promise<AwsKeys> => {
    fetched++;
    if (fails) throw Object.assign(new Error('secret-key refused'), { name: 'CredentialsProviderError' });
    return {
      accessKeyId: `k${fetched}`,
      secretAccessKey: 's',
      expiration: new Date(clock.now() + 60 * minute),
    };
  };
  const credentials = () => refreshed(fetch, 'default chain', clock);
  beforeEach(() => {
    clock = new ManualClock();
    fetched = 0;
    fails = false;
  });

  test('are fetched once for requests at the same time, and again shortly before they expire', async () => {
    const keys = credentials();
    expect((await Promise.all([keys(), keys(), keys()])).map(({ accessKeyId }) => accessKeyId)).toEqual([
      'k1',
      'k1',
      'k1',
    ]);
    await clock.advance(54 * minute);
    expect((await keys()).accessKeyId).toBe('k1');
    await clock.advance(2 * minute);
    // No request waits while the old keys are valid.
    expect((await keys()).accessKeyId).toBe('k1');
    await vi.waitFor(async () => expect((await keys()).accessKeyId).toBe('k2'));
    expect(fetched).toBe(2);
  });

  test('stay in use while they are valid and no others come', async () => {
    const keys = credentials();
    await keys();
    fails = true;
    await clock.advance(58 * minute);
    expect((await keys()).accessKeyId).toBe('k1');
    await clock.advance(3 * minute);
    const error = await keys().catch(thrown => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({
      kind: 'upstream',
      details: {
        refusedKey: true,
        fault: expect.stringMatching(/set apiKey, or give the worker an AWS identity/),
      },
    });
    expect(JSON.stringify([error.message, error.details])).not.toContain('secret-key');
    fails = false;
    expect((await keys()).accessKeyId).toMatch(/^k/);
  });
});

describe("AWS's default chain", () => {
  afterEach(() => vi.unstubAllEnvs());

  test('finds the keys of a container, which a server hands out', async () => {
    const server = createServer((_, response) => {
      const Expiration = new Date(Date.now() + 60 * minute).toISOString();
      response.end(JSON.stringify({ AccessKeyId: 'AKID', SecretAccessKey: 's', Token: 't', Expiration }));
    });
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${port}/keys`);
    const keys = await credentialsOf({ region: 'us-east-1' }, { clock: new ManualClock() })();
    expect(keys).toMatchObject({ accessKeyId: 'AKID', sessionToken: 't' });
    server.close();
  });
});
