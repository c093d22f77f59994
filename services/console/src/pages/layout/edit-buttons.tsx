import { Button, Group, Stack } from '@mantine/core';
import { ChangeFailed } from './change-failed.tsx';
import type { Edit } from './use-edit.ts';

/** The end of a form for a resource: why it could not be saved, and the buttons to save it and to undo what was typed. */
export function EditButtons({ edit, label }: { edit: Edit<object>; label: string }) {
  const { error, changed, saving, save, overwrite, reload, reset } = edit;
  return (
    <Stack gap="sm">
      {error !== null && error !== undefined && (
        <ChangeFailed error={error} onOverwrite={overwrite} onReload={reload} />
      )}
      <Group gap="xs">
        <Button onClick={save} loading={saving} disabled={!changed}>
          {label}
        </Button>
        {changed && (
          <Button variant="default" onClick={reset} disabled={saving}>
            Undo
          </Button>
        )}
      </Group>
    </Stack>
  );
}
