import { Button, Collapse, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useId } from 'react';

/** A button with content that it opens and closes. */
export function Disclosure({
  label,
  open = false,
  children,
}: {
  label: string;
  /** True if it is open at first. */
  open?: boolean;
  children: ReactNode;
}) {
  const [opened, { toggle }] = useDisclosure(open);
  const id = useId();
  return (
    <div>
      <Button
        variant="default"
        size="compact-sm"
        onClick={toggle}
        aria-expanded={opened}
        aria-controls={id}
        rightSection={<span aria-hidden>{opened ? '▴' : '▾'}</span>}
      >
        {label}
      </Button>
      <Collapse expanded={opened} transitionDuration={0} id={id}>
        {opened && <Stack pt="md">{children}</Stack>}
      </Collapse>
    </div>
  );
}
