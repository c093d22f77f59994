import { hash } from 'node:crypto';
import { isSchema } from '../mind/json/schema.ts';
import type { FunctionCall } from './part.ts';

const magic = Buffer.from('Cgk=', 'base64');
const length = 16;

/** What clients send in place of a signature for calls that the vendor did not make, as it is or as base64. */
const standIn = 'skip_thought_signature_validator';
const standIns = new Set([standIn, Buffer.from(standIn).toString('base64')]);

/** The signature of a part: of a call, or without one of text. */
export function sign(call?: FunctionCall): string {
  const signed = digest(call ? `call ${call.name} ${canonical(call.args ?? {})}` : 'text');
  return Buffer.concat([magic, digest(`seal ${signed.toString('hex')}`), signed]).toString('base64');
}

/** Whether a signature is that of a part, of another, or of none that was made here. */
export function judge(signature: string, call?: FunctionCall): 'right' | 'moved' | 'corrupted' {
  if (standIns.has(signature)) return 'right';
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.equals(Buffer.from(sign(call), 'base64'))) return 'right';
  const signed = bytes.subarray(magic.length + length);
  const own = Buffer.concat([magic, digest(`seal ${signed.toString('hex')}`), signed]);
  return signed.length === length && own.equals(bytes) ? 'moved' : 'corrupted';
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, length);
}

/** JSON whose keys are in order, for a client may change theirs. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    isSchema(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
