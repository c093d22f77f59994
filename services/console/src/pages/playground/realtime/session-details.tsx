import { Group, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Copy } from '../../shell/code-block.tsx';
import type { CodeRequest } from '../../snippets/request.ts';
import { RequestCode } from '../../snippets/request-code.tsx';
import { Disclosure } from '../operation/disclosure.tsx';
import { EventList } from '../request/event-list.tsx';
import type { EventLog, LoggedEvent } from './event-log.ts';

/** The raw events of a session, and code that opens such a session. Closed until somebody opens it. */
export function SessionDetails({
  log,
  code,
}: {
  log: EventLog;
  code: { request: CodeRequest; secret: string };
}) {
  return (
    <>
      {log.events.length > 0 && (
        <Disclosure label="Events">
          <Events log={log} />
        </Disclosure>
      )}
      <Disclosure label="Use it in code">
        <RequestCode {...code} />
      </Disclosure>
    </>
  );
}

function Events({ log: { events, dropped } }: { log: EventLog }) {
  const [filter, setFilter] = useState('');
  const shown = useMemo(() => {
    const wanted = filter.toLowerCase();
    return events.filter(({ type, data }) => `${type} ${data}`.toLowerCase().includes(wanted));
  }, [events, filter]);
  const listed = useMemo(
    () => shown.map(event => ({ ms: event.ms, event: titleOf(event), data: event.data })),
    [shown],
  );
  const all = listed.map(({ event, data }) => `${event}\n${data}\n`).join('\n');
  return (
    <>
      <Group gap="xs">
        <TextInput
          size="xs"
          aria-label="Filter events"
          placeholder="Filter events"
          value={filter}
          onChange={event => setFilter(event.currentTarget.value)}
        />
        <Text size="xs" c="dimmed" role="status">
          {shown.length} of {events.length}
          {dropped > 0 && `, and ${dropped} older ones that were dropped`}
        </Text>
        <Copy text={all} label="Copy events" />
      </Group>
      <EventList events={listed} />
    </>
  );
}

function titleOf({ way, type, count }: LoggedEvent): string {
  return `${way === 'sent' ? '→' : '←'} ${type}${count > 1 ? ` × ${count}` : ''}`;
}
