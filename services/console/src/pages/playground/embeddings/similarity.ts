/** Returns the cosine of the angle between two vectors, from -1 to 1; 0 if one of them has no length. */
export function cosine(one: readonly number[], other: readonly number[]): number {
  const lengths = length(one) * length(other);
  if (lengths === 0) return 0;
  const product = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  return Math.max(-1, Math.min(1, product / lengths));
}

/** Returns the length of a vector (its Euclidean norm). */
export function length(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}
