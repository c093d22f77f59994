/** Aligns rows in columns. */
export function table(lines: string[][]): string {
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0))) ?? [];
  return lines
    .map(line =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Writes a value for programs. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
