import { isForeignSignature, readSignedId, type Signature } from '@model-gateway/canonical';
import { callId } from '../tool-names.ts';

type Fields = Record<string, unknown>;

/** The vendor takes no longer ids of calls. */
const maxCallId = 64;

/**
 * A client's own history without what the gateway, or another one, kept there for another vendor: reasoning that is
 * tagged as another's or has no proof at all, and ids of calls that are too long or hide signatures. All else stays as
 * it is.
 */
export function sanitizeHistory(items: readonly Fields[]): Fields[] {
  return items.filter(isOwn).map(item => {
    const { call_id: id } = item;
    return typeof id === 'string' ? { ...item, call_id: ownId(id) } : item;
  });
}

function ownId(given: string): string {
  const { id } = readSignedId(given);
  return id.length > maxCallId ? callId(id) : id;
}

/** Of reasoning without a proof the upstream knows the id at best, and keeps nothing under it. */
function isOwn({ type, encrypted_content: proof, content }: Fields): boolean {
  if (type !== 'reasoning') return true;
  const shown = Array.isArray(content) && content.length > 0;
  return proof ? !isForeignSignature(proof, 'responses') : shown;
}

/** Reasoning that only its vendor can read, and the id of its item: the one is refused without the other. */
export interface Proof {
  id?: string;
  encrypted: string;
}

/** The id stands before the rest and a colon, which what is encrypted does not hold. */
export function writeProof({ id, encrypted }: Proof): Signature {
  return { format: 'responses', value: id ? `${id}:${encrypted}` : encrypted };
}

/** Undefined for what another vendor signed, or nobody. */
export function readProof(signature: Signature | undefined): Proof | undefined {
  if (signature?.format !== 'responses' || signature.value === '') return undefined;
  const { value } = signature;
  const at = value.lastIndexOf(':');
  return at < 0 ? { encrypted: value } : { id: value.slice(0, at), encrypted: value.slice(at + 1) };
}
