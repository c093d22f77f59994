import { isForeignSignature, type VendorSignature } from '@model-gateway/wire';

type Fields = Record<string, unknown>;

/**
 * Removes other vendors' signatures, and the reasoning that depends on them, from a client's history: this
 * vendor refuses both. Everything else stays unchanged, in either spelling. With `signed`, for models that
 * require signatures, unsigned calls get the stand-in.
 */
export function sanitizeHistory(contents: readonly Fields[], signed: boolean): Fields[] {
  return contents.flatMap(content => {
    if (!content.parts) return [content];
    // One part may stand in place of a list.
    const sent = (Array.isArray(content.parts) ? content.parts : [content.parts]) as Fields[];
    const own = sent.flatMap(sanitizePart);
    const parts = signed ? withStandIn(own) : own;
    // A content that becomes empty is dropped.
    return parts.length > 0 || sent.length === 0 ? [{ ...content, parts }] : [];
  });
}

const signatureFields = ['thoughtSignature', 'thought_signature'];
const reasoningFields = new Set(['text', 'thought', ...signatureFields]);

function sanitizePart(part: Fields): Fields[] {
  const foreign = signatureFields.some(name => isForeignSignature(part[name], 'generate-content'));
  if (!foreign) return [part];
  const rest = Object.fromEntries(Object.entries(part).filter(([name]) => !signatureFields.includes(name)));
  const empty = !rest.text && Object.keys(rest).every(name => reasoningFields.has(name));
  return rest.thought || empty ? [] : [rest];
}

/** Adds the stand-in to the first call of a turn without signed calls. */
function withStandIn(parts: readonly Fields[]): Fields[] {
  const calls = parts.filter(isCall);
  const [first] = calls;
  if (!first || calls.some(call => signatureFields.some(name => call[name]))) return [...parts];
  return parts.map(part => (part === first ? { ...part, thoughtSignature: standIn } : part));
}

function isCall({ functionCall, function_call }: Fields): boolean {
  return Boolean(functionCall ?? function_call);
}

/** The value that the vendor accepts as the signature of a call that it did not make. */
export const standIn = 'skip_thought_signature_validator';

/** Returns the `thoughtSignature` field of a part, empty if this vendor did not make the signature. */
export function signatureField(signature: VendorSignature | undefined): { thoughtSignature?: string } {
  const own = signature?.format === 'generate-content' && signature.value !== '';
  return own ? { thoughtSignature: signature.value } : {};
}
