import { type Cell, money, table } from './table.ts';

/** A column: the path of a field, with another head if that is given; or a head, and a function that returns the cell. */
export type Column<Info> = string | readonly [head: string, cell: string | ((info: Info) => Cell)];

type Fields = Readonly<Record<string, unknown>>;

/** Writes a table of records. */
export function tableOf<Info>(columns: readonly Column<Info>[], records: readonly Info[]): string {
  const rows = records.map(record =>
    columns.map(column => {
      const cell = typeof column === 'string' ? column : column[1];
      return typeof cell === 'string' ? cellOf(cell, valueAt(record, cell)) : cell(record);
    }),
  );
  return table([columns.map(headOf), ...rows]);
}

/** Writes every field of a record on a line of its own, those of lists of objects on several. `nulls`: the words for null by field. */
export function details(record: object, nulls: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(record).flatMap(([field, value]): [string, string][] => {
    const items = Array.isArray(value) && value.some(isObject) ? value : [value];
    return items.map((item, at) => [
      at === 0 ? headOf(field) : '',
      plain(item === null ? (nulls[field] ?? cellOf(field, item)) : cellOf(field, item)),
    ]);
  });
  const width = Math.max(...lines.map(([head]) => head.length));
  return lines.map(([head, value]) => `${head.padEnd(width)}  ${value}`).join('\n');
}

/** Returns the text of a cell without control characters, which a terminal would obey. */
function plain(cell: Cell): string {
  return String(typeof cell === 'object' ? cell.amount : cell).replace(/(?!\n)\p{Cc}/gu, '�');
}

/** Writes `lastUsedAt` as `LAST USED`. */
function headOf(column: Column<never>): string {
  if (typeof column !== 'string') return column[0];
  const words = (column.split('.').at(-1) ?? '').replace(/(?<=.)(?:At|Id)$/, '');
  return words.replace(/(?<=[a-z])(?=[A-Z\d])/g, ' ').toUpperCase();
}

function valueAt(record: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, field) => (value as Fields | null)?.[field], record);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** Writes the value of a field for people: the options of `set` and `change` read the same notation. */
function cellOf(field: string, value: unknown): Cell {
  if (value === null && /(?:expires|used|signIn)At$/i.test(field)) return 'never';
  if (typeof value === 'number') return /cost$/i.test(field) ? money(value) : value;
  return textOf(value);
}

export function textOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(textOf).join(value.some(isObject) ? '; ' : ', ') || '-';
  if (isObject(value)) return objectText(value);
  const text = String(value);
  return isTime.test(text) ? relativeTime(Date.parse(text)) : text;
}

function objectText({ ...fields }: Fields): string {
  if ('amount' in fields && 'period' in fields) return budgetText(fields);
  if (fields.set === true) return 'set';
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      if (Array.isArray(value)) return `${name}=${value.map(itemText).join('+')}`;
      return isObject(value) ? `${name}(${objectText(value)})` : `${name}=${textOf(value)}`;
    });
  return pairs.join(',') || '-';
}

/** Writes an item of a list in an object: of one with a name, the name. */
function itemText(item: unknown): string {
  return isObject(item) && typeof item.name === 'string' ? item.name : textOf(item);
}

/** The word for a budget after whose end running streams go on. */
export const streamsGoOn = 'streams-go-on';

function budgetText({ amount, period, endsStreams }: Fields): string {
  return `${amount}/${period}${endsStreams === false ? `,${streamsGoOn}` : ''}`;
}

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Units of time with their length in seconds, the largest first. */
const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
const relative = new Intl.RelativeTimeFormat('en');

/** Writes a time such as `3 hours ago` or `in 2 days`. */
export function relativeTime(time: number, now = Date.now()): string {
  const seconds = Math.trunc((time - now) / 1_000);
  if (seconds === 0) return 'now';
  const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / length), unit);
}
