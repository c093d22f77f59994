import { Group, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Copy } from '../../layout/code-block.tsx';
import type { TimedEvent } from '../ask/exchange.ts';
import { EventList } from './event-list.tsx';

/** Raw events with a filter. `missing` says how many are not in the list, and why; `text` writes an event as it is copied. */
export function FilteredEvents({
  events,
  missing,
  text,
}: {
  events: readonly TimedEvent[];
  missing: string | undefined;
  text(event: TimedEvent): string;
}) {
  const [filter, setFilter] = useState('');
  const shown = useMemo(() => {
    const wanted = filter.toLowerCase();
    return events.filter(({ event = '', data }) => `${event} ${data}`.toLowerCase().includes(wanted));
  }, [events, filter]);
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
          {missing && `, and ${missing}`}
        </Text>
        <Copy text={shown.map(text).join('\n')} label="Copy events" />
      </Group>
      <EventList events={shown} />
    </>
  );
}
