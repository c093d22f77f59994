import type { PGlite } from '@electric-sql/pglite';

export interface Column {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
  default: string | null;
}

/** Every column of every table. Partitions have those of their table. */
export async function columnsOf(client: PGlite): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select table_name as "table", column_name as "column", udt_name as "type",
       is_nullable = 'YES' as "nullable", column_default as "default"
     from information_schema.columns where table_schema = 'public'
       and not (select relispartition from pg_class where oid = format('public.%I', table_name)::regclass) order by table_name, ordinal_position`,
  );
  return rows;
}

/**
 * The reasons why the old version, which knows the columns of `before`, could not work with those of `now`.
 */
export function violations(before: readonly Column[], now: readonly Column[]): string[] {
  const found = new Map(now.map(column => [nameOf(column), column]));
  const known = new Set(before.map(nameOf));
  const tables = new Set(before.map(({ table }) => table));
  const broken = before.flatMap(column => {
    const name = nameOf(column);
    const later = found.get(name);
    if (!later) return [`${name} was dropped or renamed, and the version before uses it`];
    return [
      ...(later.type !== column.type ? [`${name} was ${column.type} and is ${later.type}`] : []),
      ...(column.nullable && !later.nullable ? [`${name} must not be null any more`] : []),
      ...(column.default && !later.default && !later.nullable ? [`${name} has no default any more`] : []),
    ];
  });
  const missing = now
    .filter(column => tables.has(column.table) && !known.has(nameOf(column)))
    .filter(column => !column.nullable && column.default === null)
    .map(column => `${nameOf(column)} has no default, and the version before does not insert it`);
  return [...broken, ...missing];
}

function nameOf({ table, column }: Column): string {
  return `${table}.${column}`;
}
