import type { PGlite } from '@electric-sql/pglite';

/** A statement that control sent to its database, and the number of rows in the result. */
export interface Statement {
  sql: string;
  params: Param[];
  rows: number;
}

/**
 * A value, or the place of one that the database generated: statement, row and column of an earlier result.
 */
type Param = string | number | boolean | null | { from: [statement: number, row: number, column: number] };

/** The old version: its last migration, the SHA-256 of all, and its statements. */
export interface VersionBefore {
  migrations: Record<string, string>;
  /** Statements that fill tables and change rows, and then those that read them. */
  writes: Statement[];
  reads: Statement[];
}

type Row = unknown[];
type Query = (sql: string, params?: unknown[], options?: object) => Promise<{ rows: unknown[] }>;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/** Passes every statement on to a database, and records it in a form that works on any other database. */
export class Recorder {
  readonly statements: Statement[] = [];
  /** The place where each id that the database generated was first returned. */
  readonly #made = new Map<unknown, [number, number, number]>();

  /** The part of PGlite that Drizzle needs. */
  record(client: PGlite): PGlite {
    const recorded = (query: Query): Query => {
      return async (sql, params = [], options) => {
        const kept = params.map(value => this.#param(value));
        const answer = await query(sql, params, options);
        this.#keep(sql, kept, answer.rows.map(toRow));
        return answer;
      };
    };
    const transaction: PGlite['transaction'] = run =>
      client.transaction(tx => run({ ...tx, query: recorded(tx.query.bind(tx)) as never }));
    return { query: recorded(client.query.bind(client)), transaction } as unknown as PGlite;
  }

  #param(value: unknown): Param {
    const from = this.#made.get(value);
    return from ? { from } : (value as Param);
  }

  #keep(sql: string, params: Param[], rows: Row[]): void {
    const statement = this.statements.push({ sql, params, rows: rows.length }) - 1;
    for (const [row, values] of rows.entries())
      for (const [column, value] of values.entries())
        if (typeof value === 'string' && uuid.test(value) && !this.#made.has(value))
          this.#made.set(value, [statement, row, column]);
  }
}

/**
 * Runs the recorded statements on a database; `before` are the results of earlier statements.
 * @throws Error if one fails or returns another number of rows
 */
export async function replay(
  client: PGlite,
  statements: readonly Statement[],
  before: readonly Row[][] = [],
): Promise<Row[][]> {
  const answers = [...before];
  for (const { sql, params, rows } of statements) {
    const values = params.map(param => (isPlace(param) ? at(answers, param.from) : param));
    const found = await client.query<Row>(sql, values, { rowMode: 'array' }).catch(cause => {
      throw new Error(`the version before cannot do this any more: ${sql}: ${cause.message}`, { cause });
    });
    if (found.rows.length !== rows)
      throw new Error(`the version before got ${rows} rows, and now gets ${found.rows.length}: ${sql}`);
    answers.push(found.rows);
  }
  return answers.slice(before.length);
}

function toRow(row: unknown): Row {
  return Array.isArray(row) ? row : Object.values(row as object);
}

function isPlace(param: Param): param is { from: [number, number, number] } {
  return typeof param === 'object' && param !== null;
}

function at(answers: readonly Row[][], [statement, row, column]: [number, number, number]): unknown {
  return answers[statement]?.[row]?.[column];
}
