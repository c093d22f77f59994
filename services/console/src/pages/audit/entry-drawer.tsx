import { Code, Drawer, Stack, Text } from '@mantine/core';
import type { AuditEntry } from '@model-gateway/admin-api';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { PlainTable } from '../layout/plain-table.tsx';
import { useResource } from '../layout/reading.ts';
import { Empty, Failed, Loading } from '../layout/states.tsx';
import { useFilters } from '../layout/use-filters.ts';
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
      title={entry ? `${entry.actor} ${actionInWords(entry.action)}` : 'Event'}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {entry ? (
        <EntryView entry={entry} />
      ) : error ? (
        <Failed error={error} onRetry={reload} />
      ) : value || Number.isNaN(at) ? (
        <Empty title="Event not found">It may belong to a project that you may not see.</Empty>
      ) : (
        <Loading what="the event" />
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
          ['Actor', actorId ? `${actor} (${actorKind}, ${actorId})` : `${actor} (${actorKind})`],
          ['IP address', address ?? '–'],
          ['Action', <Code key="action">{action}</Code>],
          [
            'Resource',
            `${subject} (${subjectKind}${subjectId && subjectId !== subject ? `, ${subjectId}` : ''})`,
          ],
          ['Project', project ?? '–'],
          ['Request ID', requestId ? <Code key="request">{requestId}</Code> : '–'],
        ]}
      />
      <Difference entry={entry} />
    </Stack>
  );
}

function Difference({ entry: { before, after } }: { entry: AuditEntry }) {
  const fields = differences(before, after);
  if (!before && !after) return <Text size="sm">No record was changed, or the change is secret.</Text>;
  if (fields.length === 0) return <Text size="sm">No fields were changed.</Text>;
  return (
    <div className={classes.difference}>
      <PlainTable
        label="Change"
        minWidth={320}
        rows={fields}
        keyOf={({ path }) => path}
        columns={[
          { label: 'Field', render: ({ path }) => path },
          {
            label: 'Before',
            render: ({ before }) => <span className={classes.before}>{valueText(before)}</span>,
          },
          {
            label: 'After',
            render: ({ after }) => <span className={classes.after}>{valueText(after)}</span>,
          },
        ]}
      />
    </div>
  );
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
