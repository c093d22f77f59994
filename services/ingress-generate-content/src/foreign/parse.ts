import { isForeignSignature } from '@model-gateway/canonical';
import type { GoogleRequest } from '@model-gateway/wire';

type Fields = Record<string, unknown>;

/** Whether a history holds what the gateway keeps there for another vendor, or calls that only another one can have made. */
export function isForeignHistory({ contents }: Pick<GoogleRequest, 'contents'>): boolean {
  return contents.some(({ parts }) => parts.some(isForeignPart) || hasForeignCalls(parts));
}

function isForeignPart({ thoughtSignature }: Fields): boolean {
  return isForeignSignature(thoughtSignature, 'generate-content');
}

/** Ids as other vendors begin them, in a turn that nobody signed. */
function hasForeignCalls(parts: readonly Fields[]): boolean {
  const calls = parts.filter(({ functionCall }) => functionCall);
  if (calls.some(({ thoughtSignature }) => thoughtSignature)) return false;
  return calls.some(({ functionCall }) =>
    /^(call|toolu|fc)_/.test(String((functionCall as Fields).id ?? '')),
  );
}
