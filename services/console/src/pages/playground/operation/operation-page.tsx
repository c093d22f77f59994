import { Alert, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { TokenFacts } from '../../token/token-facts.tsx';
import { TokenField } from '../../token/token-field.tsx';
import { ModelField } from '../model-field.tsx';
import layout from '../playground.module.css';
import type { OperationProps } from './operation.ts';
import classes from './operation-page.module.css';
import type { ChosenModel } from './use-model.ts';

/** The frame of a tab: the token, the model and the settings beside the work. */
export function OperationPage({
  title,
  about,
  models,
  blocked,
  model,
  settings,
  children,
}: Omit<OperationProps, 'secret'> & {
  title: string;
  /** A sentence that says what the tab is for. */
  about: string;
  model: ChosenModel;
  settings: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(`${title} - Playground - Model Gateway`);
  return (
    <div className={layout.page}>
      <section className={layout.setup} aria-label="Set-up">
        <div>
          <Title order={1} size="h4">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </div>
        <TokenField />
        <TokenFacts />
        {blocked?.by === 'models' ? (
          <Alert color="yellow" title={blocked.reason}>
            Ask an admin to add such a model to the gateway, or to allow it for this token.
          </Alert>
        ) : (
          <ModelField
            models={models}
            value={model.name}
            onChange={model.choose}
            disabled={blocked !== undefined}
          />
        )}
        {settings}
      </section>
      <section className={classes.work} aria-label={title}>
        <Stack gap="lg" className={classes.column}>
          {children}
        </Stack>
      </section>
    </div>
  );
}
