import type { Signature, WireFormat } from '@model-gateway/canonical';

/** A signature of another vendor travels through a client of this format behind one of these. */
const tags: Partial<Record<WireFormat, string>> = { chat: 'cc', 'generate-content': 'gg', responses: 'or' };

/** A signature as a client of this format keeps it. Vendors' own are base64, which has no `:`. */
export function writeSignature({ format, value }: Signature): string {
  const tag = tags[format];
  return tag ? `${tag}:${value}` : value;
}

/** What {@link writeSignature} was given; undefined for an empty one, which proves nothing. */
export function readSignature(text: string | null | undefined): Signature | undefined {
  if (!text) return undefined;
  const [tag, value] = text.split(/:(.*)/s);
  const format = (Object.keys(tags) as WireFormat[]).find(name => tags[name] === tag);
  return format && value !== undefined ? { format, value } : { format: 'messages', value: text };
}

/** Whether a text is what {@link writeSignature} makes of another vendor's signature. */
export function isForeign(text: unknown): boolean {
  return typeof text === 'string' && (readSignature(text)?.format ?? 'messages') !== 'messages';
}
