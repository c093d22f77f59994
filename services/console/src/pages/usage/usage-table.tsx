import { Anchor, Box, Group, Progress, Table, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { formatMoney } from '../layout/format.ts';
import { addUp, type Measure, measures, type UsageRow, type UsageSums } from '../ledger/measures.ts';
import { nameOfKey } from './points.ts';
import classes from './usage-table.module.css';

/** The columns after the key. */
const columns: readonly { label: string; measure: Measure }[] = [
  { label: 'Spend', measure: measures.spend },
  { label: 'Requests', measure: measures.requests },
  { label: 'Errors', measure: measures.errors },
  { label: 'Error rate', measure: measures.errorRate },
  { label: 'Attempts', measure: measures.attempts },
  { label: 'Failed', measure: measures.failedAttempts },
  { label: 'Input', measure: { ...measures.tokens, of: ({ input }) => input } },
  { label: 'Output', measure: { ...measures.tokens, of: ({ output }) => output } },
  { label: 'Cache hits', measure: measures.cacheHits },
  { label: 'Latency', measure: measures.latency },
  { label: 'First token', measure: measures.firstToken },
];

/** The figures of each key, highest cost first unless the user sorts them. `linkOf` is the page of the attempts of a key. */
export function UsageTable({
  heading,
  rows,
  labelOf,
  onFilter,
  linkOf,
}: {
  heading: string;
  rows: readonly UsageRow[];
  labelOf(row: UsageRow): string;
  /** Shows one key alone; absent where keys cannot be filtered. */
  onFilter?: ((key: string) => void) | undefined;
  linkOf(row: UsageRow): string | undefined;
}) {
  const [sort, setSort] = useState<string>();
  const by = columns.find(({ label }) => label === sort)?.measure;
  const figureOf = (row: UsageRow) => by?.of(row) ?? Number.NEGATIVE_INFINITY;
  const sorted = by ? rows.toSorted((a, b) => figureOf(b) - figureOf(a)) : rows;
  const all = addUp(rows);
  return (
    <Box className={classes.scroll} role="region" aria-label="Usage by key, scrollable" tabIndex={0}>
      <Table aria-label={`Usage by ${heading.toLowerCase()}`} highlightOnHover stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{heading}</Table.Th>
            {columns.map(({ label }) => (
              <Table.Th
                key={label}
                className={classes.numeric}
                aria-sort={label === sort ? 'descending' : undefined}
              >
                <button type="button" className={classes.sort} onClick={() => setSort(label)}>
                  {label}
                  {label === sort && ' ↓'}
                </button>
              </Table.Th>
            ))}
            <Table.Th>
              <span className={classes.hidden}>Requests</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map(row => (
            <Table.Tr key={nameOfKey(row)}>
              <Table.Td className={classes.key}>
                <Key row={row} all={all} label={labelOf(row)} onFilter={onFilter} />
              </Table.Td>
              <Figures sums={row} />
              <Table.Td>
                {linkOf(row) && (
                  <Anchor component={Link} to={linkOf(row) as string} size="xs">
                    Requests
                  </Anchor>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th>All</Table.Th>
            <Figures sums={all} />
            <Table.Td />
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Box>
  );
}

/** A key with its share of the cost or, if nothing has a price, of the requests. */
function Key({
  row,
  all,
  label,
  onFilter,
}: {
  row: UsageRow;
  all: UsageSums;
  label: string;
  onFilter?: ((key: string) => void) | undefined;
}) {
  const { key } = row;
  const share = all.cost > 0 ? row.cost / all.cost : row.attempts / Math.max(1, all.attempts);
  return (
    <>
      <Tooltip label={key ?? label} openDelay={600} withinPortal>
        {key && onFilter ? (
          <Anchor component="button" size="sm" className={classes.name} onClick={() => onFilter(key)}>
            {label}
          </Anchor>
        ) : (
          <Text size="sm" className={classes.name}>
            {label}
          </Text>
        )}
      </Tooltip>
      <Progress value={share * 100} size={3} mt={3} aria-hidden className={classes.share} />
    </>
  );
}

function Figures({ sums }: { sums: UsageSums }) {
  return columns.map(({ label, measure }) => {
    const value = measure.of(sums);
    const isUnpriced = label === 'Spend' && sums.unpriced > 0;
    return (
      <Table.Td key={label} className={classes.numeric}>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {isUnpriced && (
            <Tooltip label={`${sums.unpriced.toLocaleString()} attempts without a price`}>
              <Text size="xs" c="dimmed" aria-label={`${sums.unpriced} attempts without a price`}>
                +?
              </Text>
            </Tooltip>
          )}
          {value === null ? '–' : measure.format(value)}
        </Group>
        {label === 'Spend' && sums.unchargedCost > 0 && <Uncharged cost={sums.unchargedCost} />}
      </Table.Td>
    );
  });
}

/** The cost of attempts that are not charged. */
function Uncharged({ cost }: { cost: number }) {
  return (
    <Tooltip label="Attempts that the gateway abandoned are not charged. The providers may bill them.">
      <Text size="xs" c="dimmed">
        {formatMoney(cost)} abandoned
      </Text>
    </Tooltip>
  );
}
