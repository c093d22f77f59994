import { Button, Group, Stack, TextInput } from '@mantine/core';
import { accountDays } from '@model-gateway/admin-api';
import { inDays } from './expiry.ts';

/** The usual lives of a token of a service account, in days. */
const usualDays = [30, 90, 365];

/** A field for the end of a service account's token, in the browser's time zone. */
export function ExpiryField({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange(value: string): void;
  error: string | undefined;
}) {
  return (
    <Stack gap={4}>
      <TextInput
        type="datetime-local"
        label="Expires"
        description={`At most ${accountDays} days from now. The program needs a new token before.`}
        required
        value={value}
        error={error}
        onChange={event => onChange(event.currentTarget.value)}
      />
      <Group gap={4}>
        {usualDays.map(days => (
          <Button key={days} size="compact-xs" variant="default" onClick={() => onChange(inDays(days))}>
            In {days} days
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
