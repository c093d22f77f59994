import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { costOf } from '../../token/cost.ts';
import { ModelField } from '../../token/model-field.tsx';
import { Fields } from './fields.tsx';
import classes from './operation.module.css';
import { hintFor, type Operation, type OperationProps } from './operation.ts';
import { codeRequest } from './request.ts';
import { RunView } from './run-view.tsx';
import { SetUpPage } from './set-up-page.tsx';
import { useRun } from './use-run.ts';
import { type ChosenModel, useDraft, useModel } from './use-tab.ts';

/** The tab of an operation: its settings, the form for a request, and the last answer. */
export function OperationTab<Draft extends object, Result>({
  operation,
  secret,
  models,
  blocked,
}: OperationProps & { operation: Operation<Draft, Result> }) {
  const { title, about, empty, path, format } = operation;
  const [draft, change] = useDraft(title.toLowerCase(), empty, operation.files);
  const model = useModel(models);
  const { run, running, start, stop } = useRun<Result>();
  const form = { draft, change };
  const used = run?.result !== undefined ? operation.used(run.result) : {};
  return (
    <OperationPage
      {...{ title, about, models, blocked, model }}
      settings={<Fields fields={operation.settings(draft)} {...form} />}
    >
      <RequestForm
        label={operation.verb(draft)}
        running={running}
        hint={hintFor(blocked, model, operation.missing(draft))}
        onSend={() => start(secret, model.name, operation.request(model.name, draft), operation.read(draft))}
        onStop={stop}
      >
        <Fields fields={operation.fields(draft)} {...form} />
      </RequestForm>
      {run && (
        <RunView
          run={run}
          label={operation.answer}
          used={used}
          facts={run.result !== undefined ? operation.facts?.(run.result) : []}
          cost={costOf(used, model.price)}
          // Code is written for one path: that of an edit or a translation has no format of its own.
          code={
            run.request.path === path
              ? { request: codeRequest(format, run.request, run.model), secret }
              : undefined
          }
        >
          {run.result !== undefined && operation.show(run.result, form)}
        </RunView>
      )}
    </OperationPage>
  );
}

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
  about: string;
  model: ChosenModel;
  settings: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(`${title} - Playground - Model Gateway`);
  return (
    <SetUpPage
      title={title}
      about={about}
      setUp={
        <>
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
        </>
      }
    >
      <section className={classes.work} aria-label={title}>
        <Stack gap="lg" className={classes.column}>
          {children}
        </Stack>
      </section>
    </SetUpPage>
  );
}

/**
 * The form for a request. Below its fields is the button that sends it; while it runs, the one that stops it. Beside that stands why it
 * cannot be sent.
 */
function RequestForm({
  label,
  running,
  hint,
  onSend,
  onStop,
  children,
}: {
  label: string;
  running: boolean;
  /** The reason why the request cannot be sent; undefined if it can. */
  hint: string | undefined;
  onSend(): void;
  onStop(): void;
  children: ReactNode;
}) {
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (!hint && !running) onSend();
      }}
    >
      <Stack>
        {children}
        <Group gap="sm">
          {running ? (
            <Button key="stop" color="red" onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button key="send" type="submit" disabled={hint !== undefined}>
              {label}
            </Button>
          )}
          {hint && !running && (
            <Text size="sm" c="dimmed">
              {hint}
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
