/** A number of bytes as an error shows it, to a tenth of a megabyte. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 100_000) / 10} MB`;
}
