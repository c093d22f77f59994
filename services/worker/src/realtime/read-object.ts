import { exceededBound } from '@model-gateway/canonical';

/** Parses a message; undefined if it is not a JSON object. */
export function readObject(data: Uint8Array): Record<string, unknown> | undefined {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8');
  try {
    const value: unknown = exceededBound(text) ? undefined : JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
