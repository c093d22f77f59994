import { exceededBound } from './bounds.ts';

/** True for a JSON object, false for an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a client's or an upstream's message; undefined if it is not a JSON object or exceeds a JSON bound. */
export function parseJsonObject(data: Uint8Array): Record<string, unknown> | undefined {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8');
  try {
    const value: unknown = exceededBound(text) ? undefined : JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
