import type { GenerateFormat } from '../envelope.ts';
import type { Signature } from './part.ts';

/**
 * Whose a signature is, where a client keeps it in a place that another vendor's format has for its own: this word and a
 * colon stand before it. Vendors' own signatures are base64, which has no colon.
 */
const tags: Record<GenerateFormat, string> = {
  chat: 'cc',
  messages: 'am',
  'generate-content': 'gg',
  responses: 'or',
  completions: 'tc',
};
const formats = Object.keys(tags) as GenerateFormat[];

/** A signature as a client keeps it in a place that is `own`'s: that format's own as they are, others tagged. */
export function writeSignature({ format, value }: Signature, own: GenerateFormat): string {
  if (format === own) return value;
  const tagged = `${tags[format]}:${value}`;
  return isBytes(own) ? Buffer.from(tagged).toString('base64') : tagged;
}

/** What {@link writeSignature} was given: without a tag it is `own`'s; undefined for an empty text, which proves nothing. */
export function readSignature(text: string | null | undefined, own: GenerateFormat): Signature | undefined {
  if (!text) return undefined;
  return readTagged(isBytes(own) ? unwrapped(text) : text) ?? { format: own, value: text };
}

function readTagged(text: string): Signature | undefined {
  const format = formats.find(name => text.startsWith(`${tags[name]}:`));
  return format && { format, value: text.slice(tags[format].length + 1) };
}

/** Clients of Google's format read a signature as bytes, and fail at what is not base64; they may write the other alphabet. */
function isBytes(own: GenerateFormat): boolean {
  return own === 'generate-content';
}

/** What a text is in base64, if that begins with a tag. */
function unwrapped(text: string): string {
  const begin = Buffer.from(text.slice(0, 8), 'base64').toString('latin1');
  return /^[a-z]{2}:/.test(begin) ? Buffer.from(text, 'base64').toString('utf8') : text;
}

/** Whether a value is a signature that {@link writeSignature} tagged, so that the vendor of `own` did not make it. */
export function isForeignSignature(value: unknown, own: GenerateFormat): boolean {
  return typeof value === 'string' && (readSignature(value, own)?.format ?? own) !== own;
}

const hidden = '__thought__';

/** Some gateways hide a Gemini signature in a call's id, where other vendors choke on it: takes it out again. */
export function readSignedId(given: string): { id: string; signature?: string } {
  const at = given.indexOf(hidden);
  return at < 0 ? { id: given } : { id: given.slice(0, at), signature: given.slice(at + hidden.length) };
}
