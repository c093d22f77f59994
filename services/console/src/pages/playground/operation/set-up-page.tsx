import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { TokenFacts } from '../../token/token-facts.tsx';
import { TokenField } from '../../token/token-field.tsx';
import classes from './set-up-page.module.css';

/** The frame of a tab: its title, the token and the set-up beside the work. */
export function SetUpPage({
  title,
  about,
  setUp,
  children,
}: {
  title: string;
  /** A sentence that says what the tab is for. */
  about?: string;
  setUp: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={classes.page}>
      <section className={classes.setup} aria-label="Set-up">
        <div>
          <Title order={1} size="h4">
            {title}
          </Title>
          {about && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        <TokenField />
        <TokenFacts />
        {setUp}
      </section>
      {children}
    </div>
  );
}
