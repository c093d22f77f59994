import { Button, Group } from '@mantine/core';

/** The end of a dialog: the buttons that leave it, and that do what it is for. */
export function DialogButtons({
  label,
  loading,
  color,
  onCancel,
  onConfirm,
}: {
  /** The name of what the dialog does. */
  label: string;
  loading: boolean;
  color?: string;
  onCancel(): void;
  /** Absent in a form, which the button submits. */
  onConfirm?: () => void;
}) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button type={onConfirm ? 'button' : 'submit'} color={color} loading={loading} onClick={onConfirm}>
        {label}
      </Button>
    </Group>
  );
}
