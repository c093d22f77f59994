import { Button, Group, Stack, TextInput } from '@mantine/core';
import { messageAt, type SettingProps } from '../settings-form/setting-props.ts';
import { localTime } from './token-draft.ts';
import { dayMs } from './token-state.tsx';

const spans = [
  { label: '30 days', days: 30 },
  { label: '90 days', days: 90 },
  { label: 'A year', days: 365 },
];

/** A field for the time at which a token expires, with the usual spans. */
export function ExpiryField({ value, onChange, path, errors }: SettingProps<string>) {
  return (
    <Stack gap={6}>
      <TextInput
        type="datetime-local"
        label="Expires"
        description="In your time zone. An empty field is never."
        maw={300}
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
        error={messageAt(errors, path)}
      />
      <Group gap={6}>
        {spans.map(({ label, days }) => (
          <Button
            key={label}
            variant="default"
            size="compact-xs"
            onClick={() => onChange(localTime(new Date(Date.now() + days * dayMs)))}
          >
            {label}
          </Button>
        ))}
        <Button variant="default" size="compact-xs" onClick={() => onChange('')}>
          Never
        </Button>
      </Group>
    </Stack>
  );
}
