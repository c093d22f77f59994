import { Code, Text } from '@mantine/core';
import type { ResponseOf } from '@model-gateway/admin-api';
import { useRecords } from '../layout/reading.ts';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { Time } from '../layout/time.tsx';

type Rejected = ResponseOf<'listRejected'>['data'][number];

/** The usage records that the ledger cannot hold, newest first. */
export function RejectedRecords() {
  const list = useRecords<Rejected>('listRejected');
  return (
    <RecordTable
      label="Rejected records"
      list={list}
      columns={columns}
      keyOf={({ id }) => String(id)}
      empty={
        <Empty title="No rejected records">Usage records that the ledger cannot store are kept here.</Empty>
      }
    />
  );
}

const columns: readonly Column<Rejected>[] = [
  { label: 'Time', render: ({ at }) => <Time at={at} /> },
  { label: 'Reason', render: ({ reason }) => reason },
  {
    label: 'Record',
    render: ({ record }) => (
      <details>
        <Text component="summary" size="sm">
          {record.length.toLocaleString('en-US')} characters
        </Text>
        <Code block style={{ maxWidth: 600, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {record}
        </Code>
      </details>
    ),
  },
];
