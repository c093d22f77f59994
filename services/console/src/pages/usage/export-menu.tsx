import { Button, Menu } from '@mantine/core';
import { csvLine, endpoints } from '@model-gateway/admin-api';
import type { TimeSpan } from '../layout/range.ts';
import { addUp, type UsageRow, type UsageSums } from '../ledger/measures.ts';
import type { UsageFilters } from '../ledger/usage-query.ts';

const sumNames = Object.keys(addUp([])) as (keyof UsageSums)[];

/** The ways to save what the page shows: its table, its sums over time, and each attempt in the ledger. */
export function ExportMenu({
  by,
  table,
  series,
  span,
  filters,
  labelOf,
}: {
  by: string;
  table: readonly UsageRow[];
  series: readonly UsageRow[];
  span: TimeSpan;
  filters: UsageFilters;
  labelOf(row: UsageRow): string;
}) {
  const lines = (rows: readonly UsageRow[], withStart: boolean) =>
    [
      [...(withStart ? ['start'] : []), by, 'name', ...sumNames],
      ...rows.map(row => [
        ...(withStart ? [row.start] : []),
        row.key,
        labelOf(row),
        ...sumNames.map(name => row[name]),
      ]),
    ]
      .map(csvLine)
      .join('');
  const save = (name: string, text: string) => saveText(`${name}.csv`, 'text/csv', text);
  const wanted = Object.entries(filters).filter(([, value]) => value);
  const attempts = `${endpoints.exportUsage.path}?${new URLSearchParams([...wanted, ...Object.entries(span), ['format', 'csv']])}`;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs">
          Export CSV
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save('usage', lines(table, false))}>Table</Menu.Item>
        <Menu.Item onClick={() => save('usage-over-time', lines(series, true))}>Time series</Menu.Item>
        <Menu.Item component="a" href={attempts} download>
          All attempts
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Lets the browser save a text as a file. */
function saveText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
