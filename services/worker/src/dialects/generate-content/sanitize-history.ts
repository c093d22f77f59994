import { isForeignSignature, type Signature } from '@model-gateway/canonical';
import type { Content } from './content.ts';

type Fields = Record<string, unknown>;

/**
 * A client's own history without what the vendor of this format refuses: signatures that it did not make, and thoughts
 * that stand on them. All else of it stays as it is, in whichever of the two spellings. `signed` is for models that
 * refuse calls without a signature: these are given the stand-in.
 */
export function sanitizeHistory(contents: readonly Fields[], signed: boolean): Fields[] {
  return contents.flatMap(content => {
    if (!Array.isArray(content.parts)) return [content];
    const kept = content.parts.flatMap(ownPart);
    const parts = signed ? withStandIn(kept) : kept;
    // A content of nothing else is none.
    return parts.length > 0 || content.parts.length === 0 ? [{ ...content, parts }] : [];
  });
}

const proofs = ['thoughtSignature', 'thought_signature'];
const side = new Set(['text', 'thought', ...proofs]);

function ownPart(part: Fields): Fields[] {
  const foreign = proofs.some(name => isForeignSignature(part[name], 'generate-content'));
  if (!foreign) return [part];
  const rest = Object.fromEntries(Object.entries(part).filter(([name]) => !proofs.includes(name)));
  const bare = !rest.text && Object.keys(rest).every(name => side.has(name));
  return rest.thought || bare ? [] : [rest];
}

/** On the first call of a turn that has no signed one. */
function withStandIn(parts: readonly Fields[]): Fields[] {
  const calls = parts.filter(isCall);
  const [first] = calls;
  if (!first || calls.some(call => proofs.some(name => call[name]))) return [...parts];
  return parts.map(part => (part === first ? { ...part, thoughtSignature: standIn } : part));
}

function isCall({ functionCall, function_call }: Fields): boolean {
  return Boolean(functionCall ?? function_call);
}

/** What the vendor takes in place of a signature for a call that it did not make. */
const standIn = 'skip_thought_signature_validator';

/** A signature of this vendor's, to be spread into the part that it belongs to; nothing of another's. */
export function proofOf(signature: Signature | undefined): { thoughtSignature?: string } {
  const own = signature?.format === 'generate-content' && signature.value !== '';
  return own ? { thoughtSignature: signature.value } : {};
}

/**
 * Gives each turn with calls that has no signature the stand-in, on its first call: the vendor signs that one alone, and
 * refuses a turn without. Past turns get it, too, so that the prompt's beginning stays as it was, and cached.
 */
export function standInForSignatures(contents: readonly Content[]): void {
  for (const { parts } of contents) {
    const calls = parts.filter(({ functionCall }) => functionCall);
    const [first] = calls;
    if (first && !calls.some(({ thoughtSignature }) => thoughtSignature)) first.thoughtSignature = standIn;
  }
}
