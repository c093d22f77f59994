import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** The button that sends the request; while it runs, the one that stops it. Beside it stands why it cannot be sent. */
export function RunButtons({
  label,
  running,
  hint,
  onStop,
  children,
}: {
  label: string;
  running: boolean;
  /** The reason why the request cannot be sent; undefined if it can. */
  hint: string | undefined;
  onStop(): void;
  children?: ReactNode;
}) {
  return (
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
      {children}
      {hint && !running && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
    </Group>
  );
}

/** Returns why a request cannot be sent: the token, the model, or what is missing. */
export function hintFor(
  blocked: string | undefined,
  model: { name: string; usable: boolean },
  missing: string | false | undefined,
): string | undefined {
  if (blocked) return blocked;
  if (model.name === '') return 'Choose a model to begin.';
  if (!model.usable) return `The token may not use a model named ${model.name} for this.`;
  return missing || undefined;
}
