import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** A frame in which a table scrolls sideways on a narrow screen, also by the keyboard. */
export function WideTable({
  label,
  minWidth,
  children,
}: {
  label: string;
  /** In pixels. */
  minWidth: number;
  children: ReactNode;
}) {
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={`${label}, scrollable`}
    >
      {children}
    </Table.ScrollContainer>
  );
}
