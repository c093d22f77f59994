/**
 * The headers of one connection (RFC 9110, 7.6.1), and those that tell where a request goes and where its body ends. The gateway sets
 * them itself: others would let an upstream read another request than was sent.
 */
const ofConnection = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** True if a provider's configuration may not set a header. */
export function isConnectionHeader(name: string): boolean {
  return ofConnection.has(name.toLowerCase());
}
