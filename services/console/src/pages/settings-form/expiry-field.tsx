import { Button, Group, Stack, TextInput } from '@mantine/core';
import { messageAt, type SettingProps } from '../layout/setting-props.ts';

const dayMs = 86_400_000;
const spans = { 30: '30 days', 90: '90 days', 365: '1 year' };

/** A field for the time at which a token expires (RFC 3339), in the browser's time zone, with the usual spans; null for never. */
export function ExpiryField({
  value,
  onChange,
  path,
  errors,
  description,
  required = false,
}: SettingProps<string | null> & { description: string; required?: boolean }) {
  return (
    <Stack gap={6}>
      <TextInput
        type="datetime-local"
        label="Expires"
        description={description}
        maw={300}
        required={required}
        value={value === null ? '' : localTime(value)}
        onChange={event => onChange(utcTime(event.currentTarget.value))}
        error={messageAt(errors, path)}
      />
      <Group gap={6}>
        {Object.entries(spans).map(([days, label]) => (
          <Button
            key={days}
            variant="default"
            size="compact-xs"
            onClick={() => onChange(inDays(Number(days)))}
          >
            {label}
          </Button>
        ))}
        {!required && (
          <Button variant="default" size="compact-xs" onClick={() => onChange(null)}>
            Never
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** Returns the whole minute after some days from now, RFC 3339. */
export function inDays(days: number): string {
  return new Date(Math.floor(Date.now() / 60_000) * 60_000 + days * dayMs).toISOString();
}

/** Formats a time in the browser's time zone as a `datetime-local` field takes it, such as `2030-01-31T12:00`. */
export function localTime(at: string): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the time that a field names; null if it is empty. */
export function utcTime(local: string): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
