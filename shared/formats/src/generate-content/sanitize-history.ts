import { contradictedType, withoutLineEnds } from '../values/media.ts';
import { mendEach, withFields } from '../values/mend.ts';
import { isForeignSignature, type VendorSignature } from '../values/signatures.ts';
import type { GenerateContentRequest } from './request.ts';

type Fields = Record<string, unknown>;

/** True if a history holds what {@link sanitizeHistory} mends, or calls of another vendor. */
export function isForeignHistory({ contents }: Pick<GenerateContentRequest, 'contents'>): boolean {
  return (
    sanitizeHistory(contents, false) !== contents || contents.some(({ parts }) => hasForeignCalls(parts))
  );
}

/** True for unsigned calls whose ids have a prefix of other vendors. */
function hasForeignCalls(parts: readonly Fields[]): boolean {
  const calls = parts.filter(isCall);
  if (calls.some(({ thoughtSignature }) => thoughtSignature)) return false;
  return calls.some(({ functionCall }) =>
    /^(call|toolu|fc)_/.test(String((functionCall as Fields).id ?? '')),
  );
}

/**
 * Mends in a client's history what this vendor refuses: other vendors' signatures, and the reasoning that depends on
 * them, turns without content, and files that are not of their type. Everything else stays unchanged, in either
 * spelling. With `signed`, for models that require signatures, unsigned calls get the stand-in.
 */
export function sanitizeHistory(contents: readonly Fields[], signed: boolean): readonly Fields[] {
  return mendEach(contents, content => {
    if (typeof content !== 'object' || content === null) return content;
    const { role, parts } = content;
    // One part may stand in place of a list.
    const sent = (Array.isArray(parts) ? parts : parts ? [parts] : []) as Fields[];
    const own = mendEach(sent, sanitizePart);
    const mended = signed ? withStandIn(own) : own;
    if (!own.every(isEmpty)) return mended === sent ? content : { ...content, parts: mended };
    // The model's turn is dropped, and the user's keeps its place.
    return role === 'model' ? undefined : { ...content, parts: [{ text: '.' }] };
  });
}

function isEmpty(part: Fields): boolean {
  return part.text === '' && Object.keys(part).length === 1;
}

const signatureFields = ['thoughtSignature', 'thought_signature'];
const reasoningFields = new Set(['text', 'thought', ...signatureFields]);

function sanitizePart(part: Fields): Fields | undefined {
  const foreign = signatureFields.some(name => isForeignSignature(part[name], 'generate-content'));
  if (!foreign) return withHeldType(part);
  const rest = Object.fromEntries(Object.entries(part).filter(([name]) => !signatureFields.includes(name)));
  const empty = !rest.text && Object.keys(rest).every(name => reasoningFields.has(name));
  return rest.thought || empty ? undefined : rest;
}

/** Returns a part with the type that its bytes have, and without line ends in them. */
function withHeldType(part: Fields): Fields {
  const field = ['inlineData', 'inline_data'].find(name => part[name]);
  const blob = Object(field && part[field]) as Fields;
  const name = 'mime_type' in blob ? 'mime_type' : 'mimeType';
  const { data, [name]: declared } = blob;
  if (!field || typeof data !== 'string' || typeof declared !== 'string') return part;
  const type = contradictedType(declared.trim().toLowerCase(), data) ?? declared;
  return withFields(part, { [field]: withFields(blob, { [name]: type, data: withoutLineEnds(data) }) });
}

/** Adds the stand-in to the first call of a turn without signed calls. */
function withStandIn(parts: readonly Fields[]): readonly Fields[] {
  const calls = parts.filter(isCall);
  const [first] = calls;
  if (!first || calls.some(call => signatureFields.some(name => call[name]))) return parts;
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
