import { Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of an answer under its title. */
export function ResultSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      {children}
    </section>
  );
}
