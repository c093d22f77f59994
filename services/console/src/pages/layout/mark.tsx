import { Badge, type BadgeProps } from '@mantine/core';

/** A short word about a record, such as `expired`, in full and as it is written. */
export function Mark(props: BadgeProps & { title?: string }) {
  return <Badge variant="light" tt="none" fw={500} style={{ flexShrink: 0 }} miw="max-content" {...props} />;
}
