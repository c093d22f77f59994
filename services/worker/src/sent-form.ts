import type { ServedCall } from '@model-gateway/bus';
import { type Form, GatewayError } from '@model-gateway/canonical';
import type { SentForm } from './dialects/dialect.ts';

type Incoming = Pick<NonNullable<ServedCall['incoming']>, 'bytes'>;

/** Reads a form off a call's body, whose first bytes are its text; those of its files follow as they are asked for. */
export async function readForm(incoming: Incoming, textLength: number): Promise<SentForm> {
  const pieces = incoming.bytes();
  const text: Uint8Array[] = [];
  let rest: Uint8Array | undefined;
  for (let missing = textLength; missing > 0; ) {
    const { value, done } = await pieces.next();
    if (done || !value) throw new GatewayError('cancelled', 'The client left.');
    text.push(value.subarray(0, missing));
    if (value.length > missing) rest = value.subarray(missing);
    missing -= value.length;
  }
  const form: Form = JSON.parse(Buffer.concat(text).toString('utf8'));
  return { ...form, bytes: after(rest, pieces) };
}

async function* after(first: Uint8Array | undefined, rest: AsyncIterable<Uint8Array>) {
  if (first) yield first;
  yield* rest;
}
