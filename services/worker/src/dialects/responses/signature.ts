import type { Signature } from '@model-gateway/canonical';

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
