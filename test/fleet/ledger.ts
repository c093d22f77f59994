import type { Fleet } from './fleet.ts';

/** An attempt as the admin API returns it. */
export interface Entry {
  id: string;
  requestId: string;
  /** The model's name at the provider. */
  upstreamModel: string;
  outcome: 'answered' | 'failed' | 'cancelled' | 'lost';
  charged: boolean;
  usage: { input: number; output: number; estimated: boolean } | null;
}

/** All entries of the ledger, newest first. */
export async function ledger(fleet: Fleet): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const cursor: string = next && `&cursor=${next}`;
    const { status, body } = await fleet.admin('GET', `/usage?limit=1000${cursor}`);
    if (status !== 200) throw new Error(`the ledger cannot be read: ${JSON.stringify(body)}`);
    const page = body as { data: Entry[]; next: string | null };
    entries.push(...page.data);
    next = page.next;
  }
  return entries;
}

/** The entries of the ledger for some requests. */
export async function entriesOf(fleet: Fleet, requestIds: readonly string[]): Promise<Entry[]> {
  return (await ledger(fleet)).filter(({ requestId }) => requestIds.includes(requestId));
}

/** Tokens of all attempts whose usage is in the ledger. */
export function sumOf(entries: readonly Entry[]): { input: number; output: number } {
  const sum = { input: 0, output: 0 };
  for (const { usage } of entries) {
    sum.input += usage?.input ?? 0;
    sum.output += usage?.output ?? 0;
  }
  return sum;
}
