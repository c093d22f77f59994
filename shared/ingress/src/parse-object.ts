import { isUtf8 } from 'node:buffer';
import {
  duplicateKey,
  GatewayError,
  maxNesting,
  nestsTooDeep,
  topLevelSpans,
} from '@model-gateway/canonical';

/**
 * Reads a JSON object.
 * @throws GatewayError `invalid-request` for anything else, for one that nests too deep, and for one whose top level
 * names a key twice
 */
export function parseObject(body: Buffer): Record<string, unknown> {
  if (!isUtf8(body)) throw new GatewayError('invalid-request', 'The request body is not valid UTF-8.');
  // Made once: of a large body every string is as large again.
  const text = body.toString('utf8');
  if (nestsTooDeep(text))
    throw new GatewayError('invalid-request', `The request body nests more than ${maxNesting} levels deep.`);
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid-request', 'The request body must be a JSON object.');
  }
  const spans = topLevelSpans(text);
  if (spans.length !== Object.keys(value).length) {
    const key = duplicateKey(spans) ?? null;
    throw new GatewayError('invalid-request', `The request body names ${JSON.stringify(key)} twice.`, {
      ...(key !== null && { param: key }),
      code: 'invalid_value',
    });
  }
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('invalid-request', 'The request body is not valid JSON.', {}, { cause });
  }
}
