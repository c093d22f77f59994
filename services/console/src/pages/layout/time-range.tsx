import '@mantine/dates/styles.css';
import { Button, Group, Popover, Select, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useMemo, useState } from 'react';
import { type Preset, presets, rangeOf, spanAt, type TimeRange, type TimeSpan, withRange } from './range.ts';
import { usePageQuery } from './use-page-query.ts';

/** The time range of a page, which its URL holds. */
export interface ChosenRange {
  range: TimeRange;
  /** Stays the same until the range is changed or renewed. */
  span: TimeSpan;
  setRange(range: TimeRange): void;
  /** Moves a range that ends now to the present. */
  renew(): void;
}

/** Reads the time range of a page from its URL: `usual` if it has none. */
export function useTimeRange(usual: Preset): ChosenRange {
  const [query, setQuery] = usePageQuery();
  const [now, setNow] = useState(Date.now);
  const range = rangeOf(query, usual);
  const key = JSON.stringify(range);
  const span = useMemo(() => spanAt(JSON.parse(key) as TimeRange, now), [key, now]);
  const renew = () => setNow(Date.now());
  const setRange = (chosen: TimeRange) => {
    renew();
    setQuery(before => withRange(before, chosen, usual));
  };
  return { range, span, setRange, renew };
}

const own = 'own';
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A field for a time range: one that ends now, or one between two times in the browser's time zone. */
export function TimeRangeField({
  chosen: { range, span, setRange },
  choices = Object.keys(presets) as Preset[],
}: {
  chosen: ChosenRange;
  choices?: readonly Preset[];
}) {
  const [opened, setOpened] = useState(false);
  const choose = (value: string | null) => {
    if (value === own) setOpened(true);
    else if (value) {
      setOpened(false);
      setRange({ preset: value as Preset });
    }
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus withinPortal={false}>
      <Popover.Target>
        <Select
          label="Time range"
          size="xs"
          w={190}
          allowDeselect={false}
          value={range.preset ?? own}
          onChange={choose}
          onOptionSubmit={value => value === own && setOpened(true)}
          data={[
            ...choices.map(value => ({ value, label: presets[value].label })),
            { value: own, label: range.preset === null ? summary(span) : 'Custom range' },
          ]}
        />
      </Popover.Target>
      <Popover.Dropdown>
        <Ends
          key={JSON.stringify(span)}
          span={span}
          onApply={range => {
            setRange(range);
            setOpened(false);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function Ends({ span, onApply }: { span: TimeSpan; onApply(range: TimeRange): void }) {
  const [from, setFrom] = useState(localOf(span.from));
  const [to, setTo] = useState(localOf(span.to));
  const reversed = from !== null && to !== null && from >= to;
  const field = {
    size: 'xs',
    clearable: true,
    placeholder: 'Any',
    submitButtonProps: { 'aria-label': 'Apply time' },
    popoverProps: { withinPortal: false },
  } as const;
  return (
    <Stack gap="xs" w={240}>
      <DateTimePicker {...field} label="From" value={from} onChange={setFrom} />
      <DateTimePicker
        {...field}
        label="To"
        value={to}
        onChange={setTo}
        error={reversed && 'Must be after the start.'}
      />
      <Group justify="space-between" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {zone}
        </Text>
        <Button
          size="compact-sm"
          disabled={reversed || (!from && !to)}
          onClick={() => onApply({ preset: null, from: timeOf(from), to: timeOf(to) })}
        >
          Apply
        </Button>
      </Group>
    </Stack>
  );
}

/** Converts a time to the one of the field, such as `2026-11-25 14:03:22` in the browser's time zone. */
function localOf(at: string | undefined): string | null {
  if (at === undefined) return null;
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ');
}

function timeOf(local: string | null): string | null {
  return local === null ? null : new Date(local.replace(' ', 'T')).toISOString();
}

const short = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

function summary({ from, to }: TimeSpan): string {
  if (!from) return `Until ${short.format(new Date(to ?? Date.now()))}`;
  if (!to) return `Since ${short.format(new Date(from))}`;
  return `${short.format(new Date(from))} to ${short.format(new Date(to))}`;
}
