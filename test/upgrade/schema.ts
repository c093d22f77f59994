import type { PGlite } from '@electric-sql/pglite';

interface Column {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
  default: string | null;
}

/** The tables of a database, without partitions: their columns, and what rows must obey or set off. */
export interface Schema {
  columns: Column[];
  rules: Rule[];
}

/** A constraint, a unique index or a trigger. */
interface Rule {
  table: string;
  rule: string;
  /** The columns that it is about; none if it is about whole rows or an expression. */
  columns: string[];
}

const tables = `select oid, relname::text as "table" from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;

export async function schemaOf(client: PGlite): Promise<Schema> {
  const columns = await client.query<Column>(
    `select "table", column_name as "column", udt_name as "type", is_nullable = 'YES' as "nullable", column_default as "default"
     from (${tables}) t join information_schema.columns on table_schema = 'public' and table_name = "table"
     order by "table", ordinal_position`,
  );
  const rules = await client.query<Rule>(
    `select "table", rule, array(select attname::text from pg_attribute where attrelid = oid and attnum = any (keys)) as "columns"
     from (${tables}) t join (
       select conrelid as oid, pg_get_constraintdef(oid) as rule, conkey as keys from pg_constraint where contype <> 'n'
       union all select indrelid, pg_get_indexdef(indexrelid), indkey::int2[] from pg_index where indisunique
       union all select tgrelid, pg_get_triggerdef(oid), '{}' from pg_trigger where not tgisinternal
     ) r using (oid)`,
  );
  return { columns: columns.rows, rules: rules.rows };
}

/** The reasons why the old version, which knows the schema `before`, could not work with that of `now`. */
export function violations(before: Schema, now: Schema): string[] {
  const found = new Map(now.columns.map(column => [nameOf(column), column]));
  const known = new Set(before.columns.map(nameOf));
  const old = new Set(before.columns.map(({ table }) => table));
  const broken = before.columns.flatMap(column => {
    const name = nameOf(column);
    const later = found.get(name);
    if (!later) return [`${name} was dropped or renamed, and the version before uses it`];
    return [
      ...(later.type !== column.type ? [`${name} was ${column.type} and is ${later.type}`] : []),
      ...(column.nullable && !later.nullable ? [`${name} must not be null any more`] : []),
      ...(column.default && !later.default && !later.nullable ? [`${name} has no default any more`] : []),
    ];
  });
  const missing = now.columns
    .filter(column => old.has(column.table) && !known.has(nameOf(column)))
    .filter(column => !column.nullable && column.default === null)
    .map(column => `${nameOf(column)} has no default, and the version before does not insert it`);
  const kept = new Set(before.rules.map(({ table, rule }) => `${table}: ${rule}`));
  const added = now.rules
    .filter(({ table, rule }) => old.has(table) && !kept.has(`${table}: ${rule}`))
    .filter(
      ({ table, columns }) => columns.length === 0 || columns.some(name => known.has(`${table}.${name}`)),
    )
    .map(({ table, rule }) => `${table} has a rule that the version before does not know: ${rule}`);
  return [...broken, ...missing, ...added];
}

function nameOf({ table, column }: Column): string {
  return `${table}.${column}`;
}
