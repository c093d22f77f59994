const schemes = ['http:', 'https:', 'mailto:'];

/** Returns the address of a link if it is absolute and of a scheme that runs nothing; else an empty text, which makes no link. */
export function safeAddress(address: string): string {
  const url = URL.parse(address);
  return url && schemes.includes(url.protocol) ? url.href : '';
}
