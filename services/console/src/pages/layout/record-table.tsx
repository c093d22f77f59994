import { Anchor, Box, Table, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { Records } from './reading.ts';
import classes from './record-table.module.css';
import { Failed, Loading } from './states.tsx';

export interface Column<Item> {
  label: string;
  render(item: Item): ReactNode;
  /** Right-aligned, with digits of one width. */
  numeric?: true;
  /** Left out on narrow screens. */
  wideOnly?: true;
}

/** The height of a row that is not measured yet, in pixels. */
const rowHeight = 37;
/** The next page is loaded when fewer rows than this are left below the screen. */
const loadAhead = 20;

/**
 * A list of records that loads page after page as it is scrolled. Only the rows on the screen are in the document, so a list of 100,000
 * is as quick as one of ten. `to` is the page of one record; the first column links to it.
 */
export function RecordTable<Item>({
  label,
  list,
  columns,
  keyOf,
  to,
  empty,
}: {
  label: string;
  list: Records<Item>;
  columns: readonly Column<Item>[];
  keyOf(item: Item): string;
  to?(item: Item): string;
  /** Shown instead of a table without rows. */
  empty: ReactNode;
}) {
  const { records, error, loading, more, loadingMore, loadMore, reload } = list;
  const scroll = useRef<HTMLDivElement>(null);
  const maxHeight = useRoom(scroll);
  const rows = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const wanted = more && !loadingMore && !error && last >= records.length - loadAhead && records.length > 0;
  useEffect(() => {
    if (wanted) loadMore();
  }, [wanted, loadMore]);

  if (loading) return <Loading what={label} />;
  if (records.length === 0 && !more) return error ? <Failed error={error} onRetry={reload} /> : empty;
  const above = shown[0]?.start ?? 0;
  const below = rows.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <>
      <Box
        ref={scroll}
        className={classes.scroll}
        style={{ maxHeight }}
        role="region"
        aria-label={`${label}, scrollable`}
        tabIndex={0}
      >
        <Table
          stickyHeader
          highlightOnHover
          aria-label={label}
          aria-rowcount={more ? -1 : records.length + 1}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ label, numeric, wideOnly }) => (
                <Table.Th key={label} className={cellClass(numeric, wideOnly)}>
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Gap height={above} columns={columns.length} />
            {shown.map(({ index }) => {
              const item = records[index] as Item;
              return (
                <Table.Tr key={keyOf(item)} ref={rows.measureElement} data-index={index}>
                  <Cells item={item} columns={columns} to={to?.(item)} />
                </Table.Tr>
              );
            })}
            <Gap height={below} columns={columns.length} />
          </Table.Tbody>
        </Table>
      </Box>
      {error ? <Failed error={error} onRetry={loadMore} /> : null}
      <Text size="xs" c="dimmed" role="status">
        {records.length.toLocaleString()} {more ? 'loaded, more below' : 'in total'}
      </Text>
    </>
  );
}

/** The height of what is below a table: the number of its records, and the margin of the page. */
const belowHeight = '4.5rem';
/** The least height of a table, which is more than the room below its filters on a phone. */
const leastHeight = 'min(24rem, 70dvh)';

/** Returns the height that an element may have, so that the page has no bar to scroll beside that of the element. */
function useRoom(element: RefObject<HTMLElement | null>): string {
  const [top, setTop] = useState(0);
  // What is above may take another height after each change, and in a window of another width.
  useLayoutEffect(() => {
    const measure = () => {
      const { current } = element;
      if (current) setTop(Math.ceil(current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  });
  return `max(${leastHeight}, calc(100dvh - ${top}px - ${belowHeight}))`;
}

function Cells<Item>({
  item,
  columns,
  to,
}: {
  item: Item;
  columns: readonly Column<Item>[];
  to: string | undefined;
}) {
  return columns.map(({ label, render, numeric, wideOnly }, place) => (
    <Table.Td key={label} className={cellClass(numeric, wideOnly)}>
      {to && place === 0 ? (
        <Anchor component={Link} to={to} size="sm">
          {render(item)}
        </Anchor>
      ) : (
        render(item)
      )}
    </Table.Td>
  ));
}

/** Takes the place of the rows that are not in the document. */
function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <Table.Tr aria-hidden="true">
      <Table.Td colSpan={columns} style={{ height, padding: 0 }} />
    </Table.Tr>
  );
}

/** Returns the classes of a cell. */
export function cellClass(numeric?: true, wideOnly?: true): string {
  return [numeric && classes.numeric, wideOnly && classes.wideOnly].filter(Boolean).join(' ');
}
