/** The upstream's id in this format's form; an upstream without ids gets the request's. */
export function answerId(upstream: string, requestId: string): string {
  if (upstream.startsWith('chatcmpl-')) return upstream;
  return `chatcmpl-${upstream || requestId}`;
}

/** Clients compare it between answers; a translated answer has nothing behind it that could change. */
export const systemFingerprint = 'fp_gateway';
