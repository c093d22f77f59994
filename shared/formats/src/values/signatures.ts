/** A vendor's signature of a part, and the format in which the vendor made it. */
export interface VendorSignature {
  format: SignedFormat;
  value: string;
}

type SignedFormat = keyof typeof tags;

/**
 * Tags of the formats. A signature in a field of another vendor's format is stored as `tag:signature`.
 * Vendors' own signatures are base64, which has no colon.
 */
const tags = {
  chat: 'cc',
  messages: 'am',
  'generate-content': 'gg',
  responses: 'or',
  completions: 'tc',
  converse: 'bc',
  'cohere-chat': 'co',
} as const;
const formats = Object.keys(tags) as SignedFormat[];

/** Returns a signature as text for a field of the format `carrier`; one of another format is tagged. */
export function writeSignature({ format, value }: VendorSignature, carrier: SignedFormat): string {
  if (format === carrier) return value;
  const tagged = `${tags[format]}:${value}`;
  return isBytes(carrier) ? Buffer.from(tagged).toString('base64') : tagged;
}

/** Reads a text of {@link writeSignature}. Untagged text is a signature of `carrier`; empty text is none. */
export function readSignature(
  text: string | null | undefined,
  carrier: SignedFormat,
): VendorSignature | undefined {
  if (!text) return undefined;
  return readTagged(isBytes(carrier) ? decodedIfTagged(text) : text) ?? { format: carrier, value: text };
}

function readTagged(text: string): VendorSignature | undefined {
  const format = formats.find(name => text.startsWith(`${tags[name]}:`));
  return format && { format, value: text.slice(tags[format].length + 1) };
}

/** True for Google's format: its clients fail at signatures that are not base64, of either alphabet. */
function isBytes(carrier: SignedFormat): boolean {
  return carrier === 'generate-content';
}

/** Decodes base64 text whose content begins with a tag; returns other text unchanged. */
function decodedIfTagged(text: string): string {
  const begin = Buffer.from(text.slice(0, 8), 'base64').toString('latin1');
  return /^[a-z]{2}:/.test(begin) ? Buffer.from(text, 'base64').toString('utf8') : text;
}

/** True if {@link writeSignature} tagged the value, so that another vendor than `carrier`'s made it. */
export function isForeignSignature(value: unknown, carrier: SignedFormat): boolean {
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
