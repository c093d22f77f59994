import { largestPage } from '@model-gateway/admin-api';

export interface Page<Item> {
  data: Item[];
  next: string | null;
}

/** Reads every page of a list. */
export async function allPages<Item>(
  path: string,
  read: (path: string) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const query = new URLSearchParams({ limit: String(largestPage), ...(next && { cursor: next }) });
    const page = await read(`${path}?${query}`);
    items.push(...page.data);
    next = page.next;
  }
  return items;
}
