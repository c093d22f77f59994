import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { fieldMessages, toProblem } from '../problem.ts';
import { Failed } from './states.tsx';

/** True if somebody else has changed the resource since it was read. */
export function isOutdated(error: unknown): boolean {
  return toProblem(error).facts.status === 412;
}

/**
 * The reason why a form could not be saved. If somebody else has changed the resource meanwhile, the user chooses whose version
 * holds; nothing that was typed is lost before.
 */
export function ChangeFailed({
  error,
  onOverwrite,
  onReload,
}: {
  error: unknown;
  /** Saves the form over the other change. */
  onOverwrite(): void;
  /** Gives up what was typed for the other change. */
  onReload(): void;
}) {
  if (!isOutdated(error)) return <Failed error={error} />;
  return (
    <Alert color="yellow" title="Somebody else has changed this since you opened it" role="alert">
      <Stack gap="xs">
        <Text size="sm">Nothing is saved, and what you typed is still here.</Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={onOverwrite}>
            Save mine over it
          </Button>
          <Button size="compact-sm" variant="default" onClick={onReload}>
            Discard mine and load theirs
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** The message at the name of what could not be created; undefined if the name is not the reason. */
export function nameProblem(error: unknown, kind: 'project' | 'user'): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (isOutdated(error)) return `There is a ${kind} with this name already.`;
  return fieldMessages(error).name;
}
