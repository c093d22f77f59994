import { isUtf8 } from 'node:buffer';
import {
  ambiguousKey,
  type ExceededBound,
  GatewayError,
  type KnownFields,
  scanJson,
} from '@model-gateway/canonical';
import { nextTurn } from '@model-gateway/service';

/**
 * Reads a request body that must be a JSON object; `fields` are the top-level fields that the endpoint reads. A large body
 * is read in steps.
 * @throws GatewayError `invalid-request` for anything else, for a body that exceeds a bound of JSON, and for one with a
 * top-level key that may be taken for another
 */
export async function parseObject(body: Buffer, fields: KnownFields): Promise<Record<string, unknown>> {
  if (!isUtf8(body)) throw new GatewayError('invalid-request', 'The request body is not valid UTF-8.');
  // Made once: every string of a large body is as large again.
  const text = body.toString('utf8');
  await nextTurn(body.length);
  const { exceeded, keys } = scanJson(text);
  if (exceeded) throw overBound(exceeded);
  await nextTurn(body.length);
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid-request', 'The request body must be a JSON object.');
  }
  const ambiguous = ambiguousKey(keys, fields);
  if (ambiguous) {
    const { key: param, words } = ambiguous;
    throw new GatewayError('invalid-request', `The request body ${words}.`, { param, code: 'invalid_value' });
  }
  await nextTurn(body.length);
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
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
