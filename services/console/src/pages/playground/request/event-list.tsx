import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { formatMs } from '../../layout/format.ts';
import type { TimedEvent } from '../ask/exchange.ts';
import classes from './request-panel.module.css';

/** The raw events of a stream, with the time since the request. */
export function EventList({ events }: { events: readonly TimedEvent[] }) {
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
