import { isUtf8 } from 'node:buffer';
import { GatewayError } from '@model-gateway/canonical';
import {
  ambiguousKey,
  type ExceededBound,
  isJsonObject,
  type KnownFields,
  parseInSteps,
  scanJson,
  type Turn,
} from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';

/** Weight of one JSON value in addition to its bytes, since many small values are as expensive as a long text. */
const valueWeight = 64;

/** A parsed body. */
interface ReadObject {
  value: Record<string, unknown>;
  /** The weight of each further step over the body, for `nextTurn`. */
  weight: number;
}

/**
 * Parses a request body that must be a JSON object; `fields` are the top-level fields that the endpoint reads. Parses
 * in steps, scheduled fairly between owners.
 * @throws GatewayError `invalid-request` for any other body, for one that exceeds a JSON limit, and for one with an
 * ambiguous top-level key
 */
export async function readObject(body: Buffer, fields: KnownFields, owner: string): Promise<ReadObject> {
  await nextTurn(body.length, owner, 'first');
  if (!isUtf8(body)) throw new GatewayError('invalid-request', 'The request body is not valid UTF-8.');
  // Decoded once: the string of a large body is as large as the body.
  const text = body.toString('utf8');
  await nextTurn(body.length, owner);
  const { exceeded, keys, values } = scanJson(text);
  if (exceeded) throw overBound(exceeded);
  const weight = body.length + valueWeight * values;
  await nextTurn(weight, owner);
  const value = await parseJson(text, () => nextTurn(weight, owner));
  if (!isJsonObject(value)) {
    throw new GatewayError('invalid-request', 'The request body must be a JSON object.');
  }
  const ambiguous = ambiguousKey(keys, fields);
  if (ambiguous) {
    const { key: param, words } = ambiguous;
    throw new GatewayError('invalid-request', `The request body ${words}.`, { param, code: 'invalid_value' });
  }
  await nextTurn(weight, owner);
  return { value, weight };
}

/** Parses as {@link readObject} does, and returns only the value. */
export async function parseObject(
  body: Buffer,
  fields: KnownFields,
  owner = '',
): Promise<Record<string, unknown>> {
  return (await readObject(body, fields, owner)).value;
}

async function parseJson(text: string, turn: Turn): Promise<unknown> {
  try {
    return await parseInSteps(text, turn);
  } catch (cause) {
    throw new GatewayError('invalid-request', 'The request body is not valid JSON.', {}, { cause });
  }
}

function overBound({ bound, words, member }: ExceededBound): GatewayError {
  const where = member === undefined ? 'The request body' : `'${member}' in the request body`;
  return new GatewayError('invalid-request', `${where} ${words}.`, {
    ...(member !== undefined && { param: member }),
    ...(bound === 'items' && { code: 'array_above_max_length' }),
  });
}
