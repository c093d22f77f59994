/** JSON without the two characters that some readers of event streams take for line ends. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
