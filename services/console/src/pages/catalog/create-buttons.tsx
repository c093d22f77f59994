import { Button, Group, Stack } from '@mantine/core';
import { Link } from 'react-router';
import { Failed } from '../layout/states.tsx';
import type { Create } from './use-create.ts';

/** The end of a form that adds an entry: why it could not be saved, and the buttons. */
export function CreateButtons({
  create,
  label,
  back,
  disabled,
}: {
  create: Create;
  label: string;
  back: string;
  disabled: boolean;
}) {
  return (
    <Stack gap="sm">
      {create.error ? <Failed error={create.error} /> : null}
      <Group gap="xs">
        <Button onClick={create.save} loading={create.saving} disabled={disabled}>
          {label}
        </Button>
        <Button component={Link} to={back} variant="default">
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
