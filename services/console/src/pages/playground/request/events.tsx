import { Group, Text, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { Copy } from '../../layout/code-block.tsx';
import { formatMs } from '../../layout/format.ts';
import type { TimedEvent } from '../ask/exchange.ts';
import classes from './request-panel.module.css';

/** The raw events of a stream, with the time since the request. */
function EventList({ events }: { events: readonly TimedEvent[] }) {
  const scroll = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => 44,
    overscan: 10,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus is needed to scroll with the keyboard
    <section ref={scroll} className={classes.events} aria-label="Events" tabIndex={0}>
      <div className={classes.rows} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const { ms, event, data } = events[index] as TimedEvent;
          return (
            <div
              key={index}
              ref={rows.measureElement}
              data-index={index}
              className={classes.row}
              style={{ transform: `translateY(${start}px)` }}
            >
              <time>{formatMs(ms)}</time>
              <code>
                {event && <span className={classes.name}>{event} </span>}
                {data}
              </code>
            </div>
          );
        })}
      </div>
    </section>
  );
}

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
