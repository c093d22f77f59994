import { Table } from '@mantine/core';
import classes from './record-table.module.css';
import { type Column, cellClass } from './record-table.tsx';
import { WideTable } from './wide-table.tsx';

/** A short table of what a page has read as a whole. It scrolls sideways on a narrow screen. */
export function PlainTable<Item>({
  label,
  minWidth = 300,
  rows,
  columns,
  keyOf,
}: {
  label: string;
  /** In pixels. */
  minWidth?: number;
  rows: readonly Item[];
  columns: readonly Column<Item>[];
  keyOf(item: Item): string;
}) {
  return (
    <WideTable label={label} minWidth={minWidth}>
      <Table aria-label={label} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr className={classes.top}>
            {columns.map(({ label, numeric }) => (
              <Table.Th key={label} className={cellClass(numeric)}>
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(row => (
            <Table.Tr key={keyOf(row)} className={classes.top}>
              {columns.map(({ label, render, numeric }) => (
                <Table.Td key={label} className={cellClass(numeric)}>
                  {render(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
