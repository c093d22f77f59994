/** A cell of a table. Numbers are aligned to the right. */
export type Cell = string | number | Amount;

/** A number as text, such as an amount of money. */
interface Amount {
  amount: string;
}

/** The least width to which a column is shortened, in characters. */
const leastWidth = 8;
const gap = '  ';

/**
 * Aligns rows in columns. On a terminal, the widest columns of text are shortened until a line fits, but never the first one, which
 * identifies the row.
 */
export function table(lines: readonly (readonly Cell[])[], width = terminalWidth()): string {
  const texts = lines.map(line => line.map(textOf));
  const isRight = (lines[0] ?? []).map((_, at) => lines.some(line => typeof line[at] !== 'string'));
  const natural = isRight.map((_, at) => Math.max(...texts.map(line => lengthOf(line[at] ?? ''))));
  const widths = fit(natural, isRight, width);
  return texts
    .map(line =>
      line
        .map((text, at) => pad(cut(text, widths[at] ?? 0), widths[at] ?? 0, isRight[at] === true))
        .join(gap)
        .trimEnd(),
    )
    .join('\n');
}

/** Writes an amount of US dollars: to four decimals, or small ones to three digits. */
export function money(dollars: number): Amount {
  if (dollars === 0) return { amount: '0' };
  const isSmall = Math.abs(dollars) < 0.01;
  const text = isSmall ? Number(dollars.toPrecision(3)).toFixed(12) : dollars.toFixed(4);
  return { amount: text.replace(/\.?0+$/, '') };
}

function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
}

/** Returns the text of a cell without control characters, which a terminal would obey. */
function textOf(cell: Cell): string {
  if (typeof cell === 'object') return cell.amount;
  return String(cell).replace(/\p{Cc}/gu, '�');
}

function lengthOf(text: string): number {
  return [...text].length;
}

function fit(natural: readonly number[], isRight: readonly boolean[], width: number): number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1));
  while (total() > width) {
    const shortenable = widths.map((each, at) => (at > 0 && !isRight[at] && each > leastWidth ? each : 0));
    const widest = Math.max(...shortenable);
    if (widest === 0) break;
    widths[shortenable.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function cut(text: string, width: number): string {
  return lengthOf(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`;
}

function pad(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(width - lengthOf(text));
  return isRight ? space + text : text + space;
}
