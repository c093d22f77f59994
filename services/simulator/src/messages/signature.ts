import { hash } from 'node:crypto';

const kind = Buffer.from('EqQB', 'base64');
const sealLength = 16;

/** The signature of some thinking. It holds the thinking itself, as the vendor's does, so that this may be left out. */
export function sign(thinking: string): string {
  return Buffer.concat([kind, seal(thinking), Buffer.from(thinking)]).toString('base64');
}

/** The thinking that a signature was made for; null where it was not made here. */
export function signedBy(signature: string): string | null {
  const bytes = Buffer.from(signature, 'base64');
  const thinking = bytes.subarray(kind.length + sealLength).toString();
  return sign(thinking) === signature ? thinking : null;
}

function seal(thinking: string): Buffer {
  return hash('sha256', `the simulator thought: ${thinking}`, 'buffer').subarray(0, sealLength);
}
