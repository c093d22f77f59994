import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './settings-form.module.css';

/** The button that adds a line to a list of a form, below what is wrong with the list as a whole. */
export function AddButton({
  problem,
  onClick,
  children,
}: {
  problem?: ReactNode;
  onClick(): void;
  children: ReactNode;
}) {
  return (
    <>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)">
          {problem}
        </Text>
      )}
      <Button variant="default" size="xs" className={classes.start} onClick={onClick}>
        {children}
      </Button>
    </>
  );
}
