import { Group, Text } from '@mantine/core';
import { formatMs } from '../layout/format.ts';
import type { Timeline, TimelineBar } from './timeline.ts';
import classes from './timeline-picture.module.css';

const colors: Record<TimelineBar['kind'], string> = {
  waiting: 'gray-5',
  answered: 'teal-6',
  failed: 'red-6',
  cancelled: 'gray-6',
  running: 'indigo-5',
};
const words: Record<TimelineBar['kind'], string> = {
  waiting: '',
  answered: 'answered',
  failed: 'failed',
  cancelled: 'cancelled',
  running: 'running',
};

/** The course of a request as a picture: a bar for each part, with a mark where the answer began. */
export function TimelinePicture({ timeline: { ms, bars } }: { timeline: Timeline }) {
  const whole = Math.max(1, ms);
  const place = (at: number) => `${(Math.max(0, at) / whole) * 100}%`;
  return (
    <div>
      <ol className={classes.bars} aria-label="Timeline">
        {bars.map((bar, number) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no other identity, and are only added
          <li key={number} className={classes.row}>
            <div className={classes.label}>
              <Text size="sm" truncate title={bar.label}>
                {bar.label}
              </Text>
              <Text size="xs" c="dimmed">
                {described(bar)}
              </Text>
            </div>
            <div className={classes.track} aria-hidden>
              <div
                className={classes.bar}
                style={{
                  left: place(bar.from),
                  width: `max(2px, ${place(bar.to - bar.from)})`,
                  background: `var(--mantine-color-${colors[bar.kind]})`,
                }}
              />
              {bar.firstAt !== null && (
                <div className={classes.first} style={{ left: place(bar.firstAt) }} title="First token" />
              )}
            </div>
          </li>
        ))}
      </ol>
      <Group justify="space-between" className={classes.scale} aria-hidden>
        <Text size="xs" c="dimmed">
          0
        </Text>
        <Text size="xs" c="dimmed">
          {formatMs(whole / 2)}
        </Text>
        <Text size="xs" c="dimmed">
          {formatMs(whole)}
        </Text>
      </Group>
    </div>
  );
}

/** Describes a bar. Its times are from its own beginning. */
function described({ kind, from, to, firstAt, error }: TimelineBar): string {
  const parts = [
    words[kind],
    error && error !== words[kind] ? error : '',
    firstAt === null ? '' : `first token after ${formatMs(Math.max(0, firstAt - from))}`,
    `${formatMs(to - from)}${firstAt === null ? '' : ' in all'}`,
  ];
  return parts.filter(Boolean).join(', ');
}
