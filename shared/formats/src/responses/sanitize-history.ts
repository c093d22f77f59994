import { withArgumentsText } from '@model-gateway/json';
import { callId } from '../upstream/tools.ts';
import { mendedDataUrl } from '../values/media.ts';
import { mendEach, withFields } from '../values/mend.ts';
import { isForeignSignature, readSignedId, type VendorSignature } from '../values/signatures.ts';
import type { ResponsesRequest } from './request.ts';

type Fields = Record<string, unknown>;

/** The vendor's limit on call ids, in characters. */
const maxCallId = 64;

/** True if a history holds what {@link sanitizeHistory} mends: this vendor rejects it. */
export function isForeignHistory({ input }: Pick<ResponsesRequest, 'input'>): boolean {
  return Array.isArray(input) && sanitizeHistory(input) !== input;
}

/**
 * Removes other vendors' data that a gateway stored in a client's history: their reasoning, reasoning without
 * signature or content, and signatures in call ids. Call ids that are too long are shortened, and arguments that are
 * no JSON text are kept in such. Media have the form of the format. Everything else stays unchanged.
 */
export function sanitizeHistory(items: readonly Fields[]): readonly Fields[] {
  return mendEach(items, item => {
    if (!isOwn(item)) return undefined;
    const { type, call_id: id, content, output } = item;
    return withFields(type === 'function_call' ? withArgumentsText(item) : item, {
      call_id: typeof id === 'string' ? sanitizeCallId(id) : id,
      content: Array.isArray(content) ? mendEach(content, mendedPart) : content,
      output: Array.isArray(output) ? mendEach(output, mendedPart) : output,
    });
  });
}

/** Returns a part with its media in the form that the format has, and of the type that their bytes have. */
function mendedPart(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const { image_url: image, file_data: file } = part as Fields;
  const { url } = Object(image) as Fields;
  return withFields(part, {
    image_url: mendedUrl(typeof url === 'string' ? url : image),
    file_data: mendedUrl(file),
  });
}

function mendedUrl(url: unknown): unknown {
  return typeof url === 'string' ? mendedDataUrl(url) : url;
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
interface EncryptedReasoning {
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
