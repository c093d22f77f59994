/** How images begin, in hexadecimal; a dot is any digit. */
const beginnings: [RegExp, string][] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^47494638(?:37|39)61/, 'image/gif'],
];

/** How many bytes tell what an image is. */
export const imageHead = 12;
/** What {@link imageType} knows. */
export const imageTypes = 'PNG, JPEG, WebP and GIF';

/** The type of an image by its first bytes; undefined for what is none. */
export function imageType(head: Buffer): string | undefined {
  const digits = head.toString('hex');
  return beginnings.find(([beginning]) => beginning.test(digits))?.[1];
}
