import { hash, timingSafeEqual } from 'node:crypto';

/** The key in the bucket `access` under which control publishes what signs calls. Workers cannot read that bucket. */
export const callKeyName = 'key.calls';

export interface CallKeyRecord {
  version: number;
  /** In base64. */
  key: string;
}

/** The fields that a call and the usage records of its attempts share: to whom they are charged. */
interface Charged {
  requestId: string;
  tokenId: string;
  project: string;
  owner?: string | undefined;
}

/** The characters of a proof: 132 bits. */
const length = 22;

/**
 * Signs whom a request is charged to. The key has one length and precedes what it signs: SHA-512/256 needs no HMAC,
 * since its result is half of its state and cannot be extended. Source: https://csrc.nist.gov/pubs/fips/180-4/upd1/final
 */
export function proofOf(key: string, { requestId, tokenId, project, owner }: Charged): string {
  const signed = JSON.stringify([requestId, tokenId, project, owner ?? null]);
  return hash('sha512-256', key + signed, 'base64url').slice(0, length);
}

/** True if a usage record has the proof of a call of its token. */
export function isProven(key: string, record: unknown): boolean {
  const { proof, requestId, tokenId, project, owner } = Object(record) as Record<string, unknown>;
  if (!isText(proof) || !isText(requestId) || !isText(tokenId) || !isText(project)) return false;
  if (proof.length !== length || !(owner === undefined || isText(owner))) return false;
  const expected = proofOf(key, { requestId, tokenId, project, owner });
  return timingSafeEqual(Buffer.from(proof, 'latin1'), Buffer.from(expected, 'latin1'));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
