import { expect, test } from 'vitest';
import { ItemList, itemPlaces } from './item-list.ts';
import { renderPage } from './item-page.ts';

const ids = Array.from({ length: 45 }, (_, i) => `id${i}`);
const text = ids.map(id => `{"id":"${id}","type":"message","role":"user","content":"é ${id}"}`).join(', ');

const next = async () => {};

interface Shown {
  data: { id: string; content: { text: string }[] }[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}

test.each(['asc', 'desc'] as const)('pages list every item once (%s), and read no other', async order => {
  const bytes = Buffer.from(text);
  const places = itemPlaces(bytes);
  let read = 0;
  const items = new ItemList(places, async (from, to) => {
    read += to - from;
    return bytes.subarray(from, to);
  });
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    read = 0;
    const page: Shown = JSON.parse(
      await renderPage(items, { limit: 10, order, ...(after !== undefined && { after }) }, next),
    );
    seen.push(...page.data.map(({ id }) => id));
    expect(page.data.every(({ id, content }) => content[0]?.text === `é ${id}`)).toBe(true);
    expect(read).toBeLessThan(bytes.length / 4);
    expect([page.first_id, page.last_id]).toEqual([page.data[0]?.id, page.data.at(-1)?.id]);
    if (!page.has_more) break;
    after = page.last_id as string;
  }
  expect(seen).toEqual(order === 'asc' ? ids : ids.toReversed());
});

test('a page after an unknown item is refused, and that of no items is empty', async () => {
  const items = ItemList.of(text);
  await expect(renderPage(items, { limit: 1, order: 'asc', after: 'nobody' }, next)).rejects.toMatchObject({
    details: { param: 'after' },
  });
  expect(JSON.parse(await renderPage(ItemList.of(''), { limit: 1, order: 'asc' }, next))).toEqual({
    object: 'list',
    data: [],
    first_id: null,
    last_id: null,
    has_more: false,
  });
});

test('an item is found by an id of any length', async () => {
  const long = 'x'.repeat(300);
  const items = ItemList.of(`{"id":"${long}1","type":"a"},{"id":"${long}2","type":"a"},{"type":"a"}`);
  expect(await items.find(`${long}2`)).toBe(1);
  expect(await items.find(long)).toBeUndefined();
  expect([0, 1, 2].map(place => items.isUnnamed(place))).toEqual([false, false, true]);
});
