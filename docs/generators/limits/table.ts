/** A table whose columns are aligned, as the project's formatter writes them. */
export function writeTable([head = [], ...rows]: readonly string[][]): string {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map(row => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const end = '<!-- end -->';

/**
 * Replaces what stands on a page between `begin` and the next end mark with a table.
 * @throws Error if the page has no such place
 */
export function replaceTable(page: string, begin: string, table: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the page has no place between ${begin} and ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${table}\n${page.slice(to)}`;
}
