import { createHmac } from 'node:crypto';
import { callKeyName } from '@model-gateway/access';
import { deriveKey, PurposeSealer, type Sealer } from '@model-gateway/catalog';
import type { Change } from './change.ts';

/** The keys of control, one for each purpose. All are made of the master key, which itself is used for nothing else. */
export interface ControlKeys {
  /** Seals providers' secrets in the database. */
  providers: Sealer;
  /** Seals what a browser or a command holds while its user signs in. */
  signIn: Sealer;
  idempotency: IdempotencySecrets;
  /** Signs the calls of ingresses, which get it by the bucket `access`. In base64. */
  calls: string;
}

/** Keeps the keys of clients and the answers of their requests secret. */
export interface IdempotencySecrets {
  sealer: Sealer;
  hash(text: string): string;
}

/** Makes the keys of control. */
export function controlKeys(masterKey: Uint8Array): ControlKeys {
  const hashKey = deriveKey(masterKey, 'idempotency hashes');
  return {
    providers: new PurposeSealer(masterKey, 'providers'),
    signIn: new PurposeSealer(masterKey, 'sign-in'),
    idempotency: {
      sealer: new PurposeSealer(masterKey, 'idempotency'),
      hash: text => createHmac('sha256', hashKey).update(text).digest('base64url'),
    },
    calls: Buffer.from(deriveKey(masterKey, 'calls')).toString('base64'),
  };
}

/** Returns the change that publishes the key of calls to ingresses. */
export function callKeyChange({ calls }: Pick<ControlKeys, 'calls'>): Change {
  return {
    bucket: 'access',
    key: callKeyName,
    value: { version: 1, key: calls },
  };
}
