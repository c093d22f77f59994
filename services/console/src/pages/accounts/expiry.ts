const dayMs = 86_400_000;
/** The days before an expiry in which it is soon. */
const soonDays = 14;

/** True if a time (RFC 3339) has passed. */
export function isOver(at: string): boolean {
  return Date.parse(at) <= Date.now();
}

/** True if a time (RFC 3339) comes within two weeks. */
export function endsSoon(at: string): boolean {
  return Date.parse(at) <= Date.now() + soonDays * dayMs;
}

/** Returns the time of day now after some days, as a `datetime-local` field takes it, in the browser's time zone. */
export function inDays(days: number): string {
  const at = new Date(Date.now() + days * dayMs);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the RFC 3339 time that a `datetime-local` field names, or what was typed if it is no time. */
export function timeOf(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? local : at.toISOString();
}
