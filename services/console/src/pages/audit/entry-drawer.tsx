import { Code, Drawer, Stack, Table, Text } from '@mantine/core';
import type { AuditEntry } from '@model-gateway/admin-api';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { Empty, Failed, Loading } from '../layout/states.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { useResource } from '../layout/use-resource.ts';
import { WideTable } from '../layout/wide-table.tsx';
import { actionInWords } from './action-words.ts';
import classes from './difference.module.css';
import { differences } from './difference.ts';

/** The entry that the URL names, with its change. It is read by its time if the list has not come to it. */
export function EntryDrawer({ loaded }: { loaded: readonly AuditEntry[] }) {
  const { values, set } = useFilters(['entry', 'at']);
  const named = loaded.find(({ id }) => String(id) === values.entry);
  const at = Date.parse(values.at);
  const { value, error, reload } = useResource('listAudit', {
    query: { from: timeText(at), to: timeText(at + 1), limit: '1000' },
    enabled: !named && values.entry !== '' && !Number.isNaN(at),
  });
  if (values.entry === '') return null;
  const entry = named ?? value?.data.find(({ id }) => String(id) === values.entry);
  return (
    <Drawer
      opened
      onClose={() => set({ entry: '', at: '' })}
      position="right"
      size="lg"
      title={entry ? `${entry.actor} ${actionInWords(entry.action)}` : 'An act'}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {entry ? (
        <EntryView entry={entry} />
      ) : error ? (
        <Failed error={error} onRetry={reload} />
      ) : value || Number.isNaN(at) ? (
        <Empty title="There is no such act">It may belong to a project that you may not see.</Empty>
      ) : (
        <Loading what="the act" />
      )}
    </Drawer>
  );
}

function timeText(ms: number): string {
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

function EntryView({ entry }: { entry: AuditEntry }) {
  const {
    at,
    actor,
    actorKind,
    actorId,
    address,
    requestId,
    action,
    subjectKind,
    subject,
    subjectId,
    project,
  } = entry;
  return (
    <Stack>
      <Facts
        facts={[
          ['Time', formatTime(at)],
          ['Who', actorId ? `${actor} (${actorKind}, ${actorId})` : `${actor} (${actorKind})`],
          ['From', address ?? 'no request'],
          ['Action', <Code key="action">{action}</Code>],
          [
            'What',
            `${subject} (${subjectKind}${subjectId && subjectId !== subject ? `, ${subjectId}` : ''})`,
          ],
          ['Project', project ?? 'none'],
          ['Request id', requestId ? <Code key="request">{requestId}</Code> : '–'],
        ]}
      />
      <Difference entry={entry} />
    </Stack>
  );
}

function Difference({ entry: { before, after } }: { entry: AuditEntry }) {
  const fields = differences(before, after);
  if (!before && !after)
    return <Text size="sm">This act changed no record, or what it changed is secret.</Text>;
  if (fields.length === 0) return <Text size="sm">The record was the same before and after.</Text>;
  return (
    <WideTable label="Change" minWidth={320}>
      <Table aria-label="Change" verticalSpacing={4} className={classes.difference}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map(field => (
            <Table.Tr key={field.path}>
              <Table.Th scope="row">{field.path}</Table.Th>
              <Table.Td className={classes.before}>{valueText(field.before)}</Table.Td>
              <Table.Td className={classes.after}>{valueText(field.after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
