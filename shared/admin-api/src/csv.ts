/** A value of a line. An object is written as JSON. */
type Cell = string | number | boolean | object | null | undefined;

/**
 * A character that begins a formula where a cell may begin: at the start, and after a separator, at which spreadsheets of other
 * languages split. They skip blanks and invisible characters before it.
 */
const formula = /(?<=(?:^|[;\t\r\n])[\s\p{C}"]*)[=+\-@＝＋－＠]/gu;
const separator = /^[\t\r\n]/;

/** Writes a line of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: Cell): string {
  if (typeof value === 'object' && value !== null) return csvCell(JSON.stringify(value));
  if (typeof value !== 'string') return value === null || value === undefined ? '' : String(value);
  const plain = value.replace(formula, "'$&");
  const text = separator.test(plain) ? `'${plain}` : plain;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
