/** The form of a body: server-sent events, JSON, or something else. */
export type BodyForm = 'events' | 'json' | 'other';

/** The most bytes that tell the form of a body. Some servers send blank lines before an answer, so that the connection stays open. */
export const maxFormBytes = 1_024;

const openBrace = 0x7b;
const openBracket = 0x5b;
const fields = ['data:', 'event:', 'id:', 'retry:'];

/** Returns the form that the first bytes of a body tell; undefined if more are needed. Labels of media types are often wrong. */
export function bodyForm(first: Buffer): BodyForm | undefined {
  // A byte order mark has three bytes.
  if (first[0] === 0xef && first.length < 3) return undefined;
  if (first[0] === openBrace || first[0] === openBracket) return 'json';
  const text = first.toString('utf8').trimStart();
  if (/^[{[]/.test(text)) return 'json';
  if (text.startsWith(':') || fields.some(field => text.startsWith(field))) return 'events';
  const mayBeField = fields.some(field => field.startsWith(text));
  return mayBeField && first.length < maxFormBytes ? undefined : 'other';
}
