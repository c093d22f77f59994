import type { BudgetOwner } from '@model-gateway/access';
import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { dollars } from '../usage/dollars.ts';

/** A question about what was spent for an owner since the beginning of a day in UTC, in milliseconds since 1970. */
interface SpendingQuery {
  owner: BudgetOwner;
  from: number;
}

interface Spending {
  /** In US dollars, for each query in their order. */
  spent: number[];
  /** The ids of those attempts that the ledger has. */
  recorded: string[];
}

/**
 * Returns what the roll-ups of the ledger hold for owners, and which of these attempts are in it. Both come from one statement, and so from the
 * same state of the ledger: an attempt that is `recorded` is in every sum that it belongs to, and any other is in none.
 */
export async function spendingOf(
  db: Database,
  queries: readonly SpendingQuery[],
  attempts: readonly string[] = [],
): Promise<Spending> {
  const asked = queries.map(({ owner: [kind, name], from }, n) => ({
    n,
    kind,
    name,
    since: new Date(from).toISOString(),
  }));
  const { rows } = (await db.execute(sql`
    select
      (select json_agg(coalesce(spent, 0) order by n) from (
        select n, case kind
          when 'token' then (select sum(cost) from usage_days where charged and token_id = name and start >= since)
          when 'project' then (select sum(cost) from usage_days where charged and project = name and start >= since)
          else (select sum(cost) from usage_days where charged and owner = name and start >= since)
        end as spent
        from json_to_recordset(${JSON.stringify(asked)}::json) as asked(n integer, kind text, name text, since timestamptz)
      ) as sums) as spent,
      (select json_agg(id) from usage where id in (
        select value::uuid from json_array_elements_text(${JSON.stringify(attempts)}::json))) as recorded
  `)) as unknown as { rows: { spent: number[] | null; recorded: string[] | null }[] };
  const [row] = rows;
  return { spent: row?.spent?.map(dollars) ?? [], recorded: row?.recorded ?? [] };
}
