import { invalid } from '../invalid.ts';

/** @throws GatewayError of kind `invalid-request` for what is no base64 */
export function bytesOf(base64: string, param: string): Buffer {
  if (!/^[\w+/-]*={0,2}\s*$/.test(base64))
    throw invalid(param, `Invalid '${param}': expected base64-encoded audio.`);
  return Buffer.from(base64, 'base64');
}
