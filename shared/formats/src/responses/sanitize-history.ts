import { withArgumentsText } from '@model-gateway/json';
import { callId } from '../upstream/tools.ts';
import { mendedDataUrl } from '../values/media.ts';
import { isForeignSignature, readSignedId, type VendorSignature } from '../values/signatures.ts';

type Fields = Record<string, unknown>;

/** The vendor's limit on call ids, in characters. */
const maxCallId = 64;

/**
 * Removes other vendors' data that a gateway stored in a client's history: their reasoning, reasoning without
 * signature or content, and signatures in call ids. Call ids that are too long are shortened, and arguments that are
 * no JSON text are kept in such. Media have the form of the format. Everything else stays unchanged.
 */
export function sanitizeHistory(items: readonly Fields[]): Fields[] {
  return items.filter(isOwn).map(item => {
    const { call_id: id } = item;
    const mended = withMedia(item.type === 'function_call' ? withArgumentsText(item) : item);
    return typeof id === 'string' ? { ...mended, call_id: sanitizeCallId(id) } : mended;
  });
}

/** Returns an item with its media in the form that the format has, and of the type that their bytes have. */
function withMedia(item: Fields): Fields {
  const { content, output } = item;
  if (!Array.isArray(content) && !Array.isArray(output)) return item;
  return {
    ...item,
    ...(Array.isArray(content) && { content: content.map(mendedPart) }),
    ...(Array.isArray(output) && { output: output.map(mendedPart) }),
  };
}

function mendedPart(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const changed: Fields = {};
  for (const field of ['image_url', 'file_data']) {
    const value: unknown = (part as Fields)[field];
    const url = field === 'image_url' && typeof value === 'object' ? Object(value).url : value;
    if (typeof url === 'string') changed[field] = mendedDataUrl(url);
  }
  return { ...part, ...changed };
}

function sanitizeCallId(value: string): string {
  const { id } = readSignedId(value);
  return id.length > maxCallId ? callId(id) : id;
}

/** False for reasoning of another vendor, or without signature and content: the upstream stores none by id. */
function isOwn({ type, encrypted_content: encrypted, content }: Fields): boolean {
  if (type !== 'reasoning') return true;
  const hasContent = Array.isArray(content) && content.length > 0;
  return encrypted ? !isForeignSignature(encrypted, 'responses') : hasContent;
}

/** Reasoning that only its vendor can read, with its item's id. The vendor refuses one without the other. */
export interface EncryptedReasoning {
  id?: string;
  encrypted: string;
}

/** Writes a signature as `id:encrypted`. The encrypted text never holds a colon. */
export function writeSignature({ id, encrypted }: EncryptedReasoning): VendorSignature {
  return { format: 'responses', value: id ? `${id}:${encrypted}` : encrypted };
}

/** Reads a signature; undefined if it is missing or another vendor's. */
export function readSignature(signature: VendorSignature | undefined): EncryptedReasoning | undefined {
  if (signature?.format !== 'responses' || signature.value === '') return undefined;
  const { value } = signature;
  const at = value.lastIndexOf(':');
  return at < 0 ? { encrypted: value } : { id: value.slice(0, at), encrypted: value.slice(at + 1) };
}
