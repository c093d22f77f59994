/** Returns 128 random bits in hex. Unlike `crypto.randomUUID`, it works on plain HTTP from another machine, too. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), part =>
    part.toString(16).padStart(8, '0'),
  ).join('');
}
