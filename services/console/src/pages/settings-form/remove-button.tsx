import { ActionIcon } from '@mantine/core';

/** A small button that removes a line of a form. */
export function RemoveButton({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <ActionIcon variant="default" size={36} aria-label={label} title={label} onClick={onClick}>
      <span aria-hidden="true">×</span>
    </ActionIcon>
  );
}
