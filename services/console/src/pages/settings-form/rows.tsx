import { ActionIcon, Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { randomKey } from '../layout/random-key.ts';
import classes from './settings-form.module.css';

/** An entry of a list in a form. */
interface Row<Item> {
  /** Stays the same while other entries come and go. */
  key: string;
  item: Item;
  change(item: Item): void;
  remove(): void;
  /** Changes places with the entry before. */
  moveUp(): void;
}

/** Returns the entries of a list in a form, and a function that adds one. */
export function useList<Item>(
  items: readonly Item[],
  onChange: (items: Item[]) => void,
): { rows: Row<Item>[]; add(item: Item): void } {
  const [known, setKeys] = useState<string[]>([]);
  const keys = items.map((_, place) => known[place] ?? String(place));
  const set = (changed: Item[], changedKeys: string[]) => {
    setKeys(changedKeys);
    onChange(changed);
  };
  const swapped = <Each,>(list: readonly Each[], place: number) =>
    list.with(place - 1, list[place] as Each).with(place, list[place - 1] as Each);
  return {
    add: item => set([...items, item], [...keys, randomKey()]),
    rows: items.map((item, place) => ({
      item,
      key: keys[place] as string,
      change: changed => set(items.with(place, changed), keys),
      remove: () => set(items.toSpliced(place, 1), keys.toSpliced(place, 1)),
      moveUp: () => set(swapped(items, place), swapped(keys, place)),
    })),
  };
}

interface NamedRow<Value> {
  key: string;
  name: string;
  value: Value;
  /** True if another row has the same name. */
  isRepeated: boolean;
  change(part: { name?: string; value?: Value }): void;
  remove(): void;
}

type Entry<Value> = Pick<NamedRow<Value>, 'key' | 'name' | 'value'>;

/**
 * Returns the entries of a record in a form, and a function that adds one without a name. While it is typed, a name may be empty or
 * twice among the rows: an entry without a name is not in the record.
 */
export function useEntries<Value>(
  record: Readonly<Record<string, Value>> | null | undefined,
  onChange: (record: Record<string, Value>) => void,
): { rows: NamedRow<Value>[]; add(value: Value): void } {
  const [typed, setTyped] = useState<Entry<Value>[]>([]);
  // What comes from elsewhere, such as an undone change, takes the place of the rows.
  const isCurrent = JSON.stringify(recordOf(typed)) === JSON.stringify(record ?? {});
  const entries = isCurrent
    ? typed
    : Object.entries(record ?? {}).map(([name, value]) => ({ key: name, name, value }));
  const set = (changed: Entry<Value>[]) => {
    setTyped(changed);
    onChange(recordOf(changed));
  };
  const named = Map.groupBy(entries, ({ name }) => name.trim());
  return {
    add: value => set([...entries, { key: randomKey(), name: '', value }]),
    rows: entries.map((entry, place) => ({
      ...entry,
      name: entry.name,
      isRepeated: entry.name.trim() !== '' && (named.get(entry.name.trim())?.length ?? 0) > 1,
      change: part => set(entries.with(place, { ...entry, ...part })),
      remove: () => set(entries.toSpliced(place, 1)),
    })),
  };
}

function recordOf<Value>(entries: readonly Entry<Value>[]): Record<string, Value> {
  const named = entries.filter(({ name }) => name.trim() !== '');
  return Object.fromEntries(named.map(({ name, value }) => [name.trim(), value]));
}

/** The message at a name that another row has, too. */
export const repeatedName = 'Another row has the same name: only the last one would count.';

/** The button that adds a row to a list of a form, below what is wrong with the list as a whole. */
export function AddButton({
  problem,
  onClick,
  children,
}: {
  problem?: ReactNode;
  onClick(): void;
  children: ReactNode;
}) {
  return (
    <>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)">
          {problem}
        </Text>
      )}
      <Button variant="default" size="xs" className={classes.start} onClick={onClick}>
        {children}
      </Button>
    </>
  );
}

/** A small button that removes a row of a form. */
export function RemoveButton({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <ActionIcon variant="default" size={36} aria-label={label} title={label} onClick={onClick}>
      <span aria-hidden="true">×</span>
    </ActionIcon>
  );
}
