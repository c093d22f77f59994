import type { VendorSignature } from '../values/signatures.ts';

/**
 * A detail of reasoning, which is sent back as it came: text, a summary, or data that only the vendor can read (`ReasoningDetail` in
 * OpenRouter's SDK, `reasoning_details` in MiniMax's API).
 */
export type ChatReasoningDetail = Record<string, unknown>;

/** Returns the details in a list; entries that are no objects are left out. */
export function readReasoningDetails(value: unknown): ChatReasoningDetail[] {
  if (!Array.isArray(value)) return [];
  return value.filter(detail => typeof detail === 'object' && detail !== null);
}

/** Returns the text of a detail; empty for one that holds none. */
export function reasoningText({ text, summary }: ChatReasoningDetail): string {
  const value = text ?? summary;
  return typeof value === 'string' ? value : '';
}

export function isEncryptedReasoning({ type }: ChatReasoningDetail): boolean {
  return type === 'reasoning.encrypted';
}

/** Joins the fields of a detail that arrives in pieces, without its text. */
export function joinedReasoning(
  earlier: ChatReasoningDetail | undefined,
  { text: _, summary: __, ...more }: ChatReasoningDetail,
): ChatReasoningDetail {
  const set = Object.entries(more).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...Object.fromEntries(set) };
}

/** Returns a detail without its text as the signature of that text. */
export function reasoningSignature(detail: ChatReasoningDetail): VendorSignature {
  return { format: 'chat', value: JSON.stringify(joinedReasoning(undefined, detail)) };
}

/** Returns the detail whose text has a signature of {@link reasoningSignature}; undefined for any other signature. */
export function signedReasoning(
  signature: VendorSignature | undefined,
  text: string,
): ChatReasoningDetail | undefined {
  if (signature?.format !== 'chat') return undefined;
  const [detail] = readReasoningDetails([parsed(signature.value)]);
  if (!detail || isEncryptedReasoning(detail)) return detail;
  return { ...detail, [detail.type === 'reasoning.summary' ? 'summary' : 'text']: text };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
