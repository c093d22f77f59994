import { GatewayError } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { type AccessToken, AccessTokens } from './access-tokens.ts';

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

/** Tokens of so many minutes, named by their number. */
function counted(minutes: number) {
  const fetch = vi.fn(
    async (): Promise<AccessToken> => ({
      headers: { token: String(fetch.mock.calls.length) },
      expiresAt: clock.now() + minutes * 60_000,
    }),
  );
  return { fetch, tokens: new AccessTokens({ fetch, service: 'The service', clock }) };
}

test('one token is fetched for requests that come together, and kept for those that follow', async () => {
  const { fetch, tokens } = counted(60);
  expect(await Promise.all([tokens.headers(), tokens.headers()])).toEqual([{ token: '1' }, { token: '1' }]);
  expect(tokens.headers()).toEqual({ token: '1' });
  expect(fetch).toHaveBeenCalledOnce();
});

test('a token that expires soon serves requests until its successor has come', async () => {
  const { tokens } = counted(60);
  await tokens.headers();
  await clock.advance(57 * 60_000);
  expect(tokens.headers()).toEqual({ token: '1' });
  await clock.advance(0);
  expect(tokens.headers()).toEqual({ token: '2' });
});

test('a successor that cannot be fetched leaves the token in use until it expires', async () => {
  const { fetch, tokens } = counted(60);
  await tokens.headers();
  fetch.mockRejectedValue(new GatewayError('upstream', 'No.'));
  await clock.advance(57 * 60_000);
  expect(tokens.headers()).toEqual({ token: '1' });
  await clock.advance(3 * 60_000);
  await expect(tokens.headers()).rejects.toThrow('No.');
});

test('a failure is repeated for a second, and then the token is fetched again', async () => {
  const { fetch, tokens } = counted(60);
  fetch.mockRejectedValueOnce(new GatewayError('upstream', 'No.'));
  await expect(tokens.headers()).rejects.toThrow('No.');
  await expect(tokens.headers()).rejects.toThrow('No.');
  expect(fetch).toHaveBeenCalledOnce();
  await clock.advance(1_000);
  expect(await tokens.headers()).toEqual({ token: '2' });
});

test('a service that does not answer is an error after ten seconds, and its request is aborted', async () => {
  let aborted: AbortSignal | undefined;
  const fetch = (signal: AbortSignal) => {
    aborted = signal;
    return new Promise<never>(() => {});
  };
  const waiting = Promise.resolve(new AccessTokens({ fetch, service: 'The service', clock }).headers()).catch(
    (error: GatewayError) => error,
  );
  await clock.advance(10_000);
  expect(await waiting).toMatchObject({
    kind: 'timeout',
    message: 'The service did not give an access token in time.',
  });
  expect(aborted?.aborted).toBe(true);
});
