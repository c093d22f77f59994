import { isForeignSignature, readSignedId } from '@model-gateway/canonical';
import type { ResponsesRequest } from '@model-gateway/wire';

type Fields = Record<string, unknown>;

/** The vendor takes no longer ids of calls. */
const maxCallId = 64;

/** Whether a history holds what another vendor made, or the gateway in its name: this one refuses it. */
export function isForeignHistory({ input }: Pick<ResponsesRequest, 'input'>): boolean {
  return Array.isArray(input) && input.some(isForeignItem);
}

function isForeignItem(item: Fields): boolean {
  const { type, encrypted_content: proof } = item;
  if (type === 'reasoning' && isUnproven(item)) return true;
  return isForeignSignature(proof, 'responses') || hasForeignId(item);
}

/** Reasoning without a proof is nobody's: its vendor is asked to keep nothing, and knows no more of it than of ours. */
function isUnproven({ encrypted_content: proof, content }: Fields): boolean {
  return !proof && !(Array.isArray(content) && content.length > 0);
}

function hasForeignId({ call_id: id }: Fields): boolean {
  return typeof id === 'string' && (id.length > maxCallId || readSignedId(id).id !== id);
}
