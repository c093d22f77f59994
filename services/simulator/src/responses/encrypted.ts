import { hash } from 'node:crypto';

const kind = Buffer.from('gAAA', 'base64');
const sealLength = 16;

/** The content of a reasoning item that only the vendor can read: the reasoning itself, sealed for this item. */
export function encrypted(id: string, reasoning: string): string {
  const content = JSON.stringify([id, reasoning]);
  return Buffer.concat([kind, seal(content), Buffer.from(content)]).toString('base64');
}

/** What was encrypted, and for which item; null where it was not made here. */
export function decrypted(content: string): { id: string; reasoning: string } | null {
  const sealed = Buffer.from(content, 'base64')
    .subarray(kind.length + sealLength)
    .toString();
  try {
    const [id, reasoning] = JSON.parse(sealed);
    return encrypted(id, reasoning) === content ? { id, reasoning } : null;
  } catch {
    return null;
  }
}

function seal(content: string): Buffer {
  return hash('sha256', `the simulator reasoned: ${content}`, 'buffer').subarray(0, sealLength);
}
