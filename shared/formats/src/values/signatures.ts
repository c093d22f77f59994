import { type GenerateFormat, signatureTags } from '@model-gateway/canonical/wire-format';

/** A vendor's signature of a part, and the format in which the vendor made it. */
export interface VendorSignature {
  format: GenerateFormat;
  value: string;
}

const formats = Object.keys(signatureTags) as GenerateFormat[];

/**
 * Returns a signature as text for a field of the format `carrier`; one of another format is tagged, as `tag:signature`. Vendors' own
 * signatures are base64, which has no colon.
 */
export function writeSignature({ format, value }: VendorSignature, carrier: GenerateFormat): string {
  if (format === carrier) return value;
  const tagged = `${signatureTags[format]}:${value}`;
  return isBytes(carrier) ? Buffer.from(tagged).toString('base64') : tagged;
}

/** Reads a text of {@link writeSignature}. Untagged text is a signature of `carrier`; empty text is none. */
export function readSignature(
  text: string | null | undefined,
  carrier: GenerateFormat,
): VendorSignature | undefined {
  if (!text) return undefined;
  return readTagged(isBytes(carrier) ? decodedIfTagged(text) : text) ?? { format: carrier, value: text };
}

function readTagged(text: string): VendorSignature | undefined {
  const format = formats.find(name => text.startsWith(`${signatureTags[name]}:`));
  return format && { format, value: text.slice(signatureTags[format].length + 1) };
}

/** True for Google's format: its clients fail at signatures that are not base64, of either alphabet. */
function isBytes(carrier: GenerateFormat): boolean {
  return carrier === 'generate-content';
}

/** Decodes base64 text whose content begins with a tag; returns other text unchanged. */
function decodedIfTagged(text: string): string {
  const begin = Buffer.from(text.slice(0, 8), 'base64').toString('latin1');
  return /^[a-z]{2}:/.test(begin) ? Buffer.from(text, 'base64').toString('utf8') : text;
}

/** True if {@link writeSignature} tagged the value, so that another vendor than `carrier`'s made it. */
export function isForeignSignature(value: unknown, carrier: GenerateFormat): boolean {
  return typeof value === 'string' && (readSignature(value, carrier)?.format ?? carrier) !== carrier;
}

const idSeparator = '__thought__';

/**
 * Takes a Gemini signature out of a call's id. Some gateways hide it there, and other vendors reject the id.
 */
export function readSignedId(signedId: string): { id: string; signature?: string } {
  const at = signedId.indexOf(idSeparator);
  return at < 0
    ? { id: signedId }
    : { id: signedId.slice(0, at), signature: signedId.slice(at + idSeparator.length) };
}
