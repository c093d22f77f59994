import type { Agent as HttpsAgent } from 'node:https';
import { GatewayError } from '@model-gateway/canonical';
import { type Clock, systemClock } from '@model-gateway/clock';
import { unreached } from './access-tokens.ts';
import type { ProviderAccess } from './profile.ts';

/** Keys that sign requests to AWS. */
export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** The time when they expire; absent for keys that do not. */
  expiration?: Date;
}

/** Returns keys that are valid now. @throws GatewayError of kind `upstream` or `timeout` */
export type AwsCredentials = () => Promise<AwsKeys>;

/** The identity that asks for keys. */
export interface AwsIdentity {
  region: string;
  /** A key that does not expire. */
  key?: Pick<AwsKeys, 'accessKeyId' | 'secretAccessKey'>;
  /** A profile of the configuration files of AWS. */
  profile?: string;
  /** A role that is assumed by the key, else by the keys of the default chain. */
  roleArn?: string;
}

/** Longest time to get keys, in milliseconds. */
const fetchMs = 10_000;
/** Time before keys expire from which new ones are fetched, in milliseconds. */
const refreshMs = 5 * 60_000;

/**
 * Returns the credentials of an identity: its key, those of a role, or those that AWS's default chain finds, which are the
 * environment, configuration files with single sign-on, web identity, containers and instances.
 */
export function credentialsOf(
  identity: AwsIdentity,
  { agent, clock = systemClock }: Pick<ProviderAccess, 'agent' | 'clock'> = {},
): AwsCredentials {
  const { key, roleArn } = identity;
  if (key && !roleArn) return () => Promise.resolve(key);
  const source = sourceOf(identity, agent);
  return refreshed(async () => (await source)(), roleArn ? 'assumed role' : 'default chain', clock);
}

/**
 * Loads the SDK, which is large, only where it is used. It asks metadata addresses by other connections than those of
 * `agent`. The region is no setting of the chain's clients: single sign-on has its own.
 */
async function sourceOf(
  { region, key, profile, roleArn }: AwsIdentity,
  agent: HttpsAgent | undefined,
): Promise<AwsCredentials> {
  const { fromNodeProviderChain, fromTemporaryCredentials } = await import('@aws-sdk/credential-providers');
  const clientConfig = agent && { requestHandler: { httpsAgent: agent } };
  const chain = fromNodeProviderChain({
    parentClientConfig: { region },
    ...(clientConfig && { clientConfig }),
    ...(profile && { profile }),
  });
  if (!roleArn) return chain as AwsCredentials;
  return fromTemporaryCredentials({
    masterCredentials: key ?? chain,
    params: { RoleArn: roleArn, RoleSessionName: 'model-gateway' },
    clientConfig: { region, ...clientConfig },
  }) as AwsCredentials;
}

/**
 * Returns credentials that keep keys until shortly before they expire. One fetch runs at a time; while it runs or if it
 * fails, keys that are still valid are used.
 */
export function refreshed(fetch: AwsCredentials, source: string, clock: Clock): AwsCredentials {
  let keys: AwsKeys | undefined;
  let running: Promise<AwsKeys> | undefined;
  const left = () => (keys ? (keys.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - clock.now() : 0);
  const start = () => {
    running ??= inTime(fetch(), source, clock)
      .then(fetched => {
        keys = fetched;
        return fetched;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  return async () => {
    if (keys && left() > refreshMs) return keys;
    const fetching = start();
    if (!keys || left() <= 0) return fetching;
    fetching.catch(() => undefined);
    return keys;
  };
}

/** @throws GatewayError of kind `timeout` if keys do not come, and of kind `upstream` if there are none */
async function inTime(fetching: Promise<AwsKeys>, source: string, clock: Clock): Promise<AwsKeys> {
  const late = Promise.withResolvers<never>();
  const timer = clock.setTimeout(
    () => late.reject(new GatewayError('timeout', 'AWS did not grant credentials in time.')),
    fetchMs,
  );
  try {
    return await Promise.race([fetching, late.promise]);
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    throw new GatewayError(
      'upstream',
      "The gateway has no AWS credentials for this model's provider.",
      { refusedKey: true, fault: faultOf(source, thrown) },
      { cause: thrown },
    );
  } finally {
    clock.clearTimeout(timer);
  }
}

function faultOf(source: string, thrown: unknown): string {
  const { name = 'Error', message = '' } = Object(thrown) as { name?: string; message?: string };
  if (unreached.test(message))
    return `AWS's token service could not be reached (${name}): check the worker's way to it, and the provider's proxy and tls.ca`;
  return source === 'assumed role'
    ? `AWS did not let options.roleArn be assumed (${name}): check the role's trust policy and the keys that assume it`
    : `AWS's default chain found no credentials (${name}): set apiKey, or give the worker an AWS identity`;
}
