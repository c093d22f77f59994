/** A vector as the base64 of its 32-bit floats, little-endian. */
export function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, number] of vector.entries()) bytes.writeFloatLE(number, at * 4);
  return bytes.toString('base64');
}
