import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/**
 * The form for a request. Below its fields is the button that sends it; while it runs, the one that stops it. Beside that stands why it
 * cannot be sent.
 */
export function OperationForm({
  label,
  running,
  hint,
  onSend,
  onStop,
  children,
}: {
  label: string;
  running: boolean;
  /** The reason why the request cannot be sent; undefined if it can. */
  hint: string | undefined;
  onSend(): void;
  onStop(): void;
  children: ReactNode;
}) {
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (!hint && !running) onSend();
      }}
    >
      <Stack>
        {children}
        <Group gap="sm">
          {running ? (
            <Button key="stop" color="red" onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button key="send" type="submit" disabled={hint !== undefined}>
              {label}
            </Button>
          )}
          {hint && !running && (
            <Text size="sm" c="dimmed">
              {hint}
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
