type Row = readonly (string | number)[];

/** Rows as aligned text: the first column left, the others right; numbers with about three digits. */
export function table(head: readonly string[], rows: readonly Row[]): string {
  const lines = [head, ...rows.map(row => row.map(text))];
  const widths = head.map((_, column) => Math.max(...lines.map(line => (line[column] ?? '').length)));
  return lines
    .map(line =>
      line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))),
    )
    .map(cells => cells.join('  ').trimEnd())
    .join('\n');
}

function text(cell: string | number): string {
  if (typeof cell === 'string') return cell;
  return cell.toFixed(cell >= 100 ? 0 : cell >= 10 ? 1 : 2);
}
