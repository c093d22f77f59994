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
  /** The hash by the master key itself, for keys that a control of an older version has stored. They are kept for a day. */
  firstHash(text: string): string;
}

/** Makes the keys of control. What an older version has sealed to last opens, too; a sign-in that it began does not. */
export function controlKeys(masterKey: Uint8Array): ControlKeys {
  const opensFirst = true;
  const hashKey = deriveKey(masterKey, 'idempotency hashes');
  return {
    providers: new PurposeSealer(masterKey, 'providers', { opensFirst }),
    signIn: new PurposeSealer(masterKey, 'sign-in'),
    idempotency: {
      sealer: new PurposeSealer(masterKey, 'idempotency', { opensFirst }),
      hash: text => hashBy(hashKey, text),
      firstHash: text => hashBy(masterKey, text),
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

function hashBy(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
