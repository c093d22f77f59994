/** Returns the time of a request in seconds since 1970, which its id begins with; 0 for another id. */
export function secondsOf(requestId: string): number {
  const [, ms = '0'] = /^req_([\da-f]{12})[\da-f]{12}$/.exec(requestId) ?? [];
  return Math.floor(Number.parseInt(ms, 16) / 1000);
}
