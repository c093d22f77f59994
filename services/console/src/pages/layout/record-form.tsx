import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { Failed } from './states.tsx';
import { type RecordForm, useRecordForm } from './use-record-form.ts';

type AnyForm = Omit<RecordForm<object>, 'values' | 'change' | 'setting'>;

/** The form of a page: its fields, why it could not be saved, and the buttons to save it and to leave it or to undo what was typed. */
export function FormPage({
  form,
  label,
  save,
  cancelTo,
  disabled = cancelTo === undefined && !form.changed,
  children,
}: {
  form: AnyForm;
  /** Names the form for screen readers. */
  label: string;
  /** The label of the button. */
  save: string;
  /** The page to go to without saving; absent in a form on the record's own page. */
  cancelTo?: string;
  disabled?: boolean;
  children: ReactNode;
}) {
  const { saving, changed, restored, reset } = form;
  return (
    <FormElement form={form} label={label}>
      <Stack gap="md" maw={760}>
        {restored && (
          <Alert color="blue" title="Draft restored">
            <Button size="compact-sm" variant="default" onClick={reset}>
              Discard draft
            </Button>
          </Alert>
        )}
        {children}
        <FormFailure form={form} />
        <Group gap="xs">
          <Button type="submit" loading={saving} disabled={disabled}>
            {save}
          </Button>
          {cancelTo !== undefined && (
            <Button component={Link} to={cancelTo} variant="default" onClick={reset}>
              Cancel
            </Button>
          )}
          {cancelTo === undefined && changed && (
            <Button variant="default" onClick={reset} disabled={saving}>
              Undo
            </Button>
          )}
        </Group>
      </Stack>
    </FormElement>
  );
}

/** A dialog with a form. */
export function FormDialog({
  form,
  title,
  save,
  color,
  onClose,
  children,
}: {
  form: AnyForm;
  title: string;
  /** The label of the button. */
  save: string;
  color?: string;
  onClose(): void;
  children: ReactNode;
}) {
  return (
    <Modal opened onClose={onClose} title={title}>
      <FormElement form={form} label={title}>
        <Stack>
          {children}
          {!form.saysWhere && <FormFailure form={form} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color={color} loading={form.saving}>
              {save}
            </Button>
          </Group>
        </Stack>
      </FormElement>
    </Modal>
  );
}

/** A form element. After a refusal, the first invalid field has the focus. */
export function FormElement({
  form: { save, errors },
  label,
  children,
}: {
  form: AnyForm;
  label: string;
  children: ReactNode;
}) {
  const element = useRef<HTMLFormElement>(null);
  const isRefused = Object.keys(errors).length > 0;
  useEffect(() => {
    if (isRefused) element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [isRefused]);
  return (
    <form
      ref={element}
      onSubmit={event => {
        event.preventDefault();
        save();
      }}
      aria-label={label}
      noValidate
    >
      {children}
    </form>
  );
}

/**
 * The reason why a form could not be saved. If somebody else has changed the record meanwhile, the user chooses whose version holds;
 * nothing that was typed is lost before.
 */
export function FormFailure({ form: { error, isOutdated, overwrite, reload } }: { form: AnyForm }) {
  if (!error) return null;
  if (!isOutdated) return <Failed error={error} />;
  return (
    <Alert color="yellow" title="Someone else has changed this since you opened it" role="alert">
      <Stack gap="xs">
        <Text size="sm">Nothing was saved. Your changes are still in the form.</Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={overwrite}>
            Overwrite
          </Button>
          <Button size="compact-sm" variant="default" onClick={reload}>
            Discard my changes
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** A button that opens a dialog. `children` returns the dialog. */
export function DialogButton({
  label,
  color,
  children,
}: {
  label: string;
  /** Absent for a button of no consequence. */
  color?: string;
  children(close: () => void): ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant={color ? 'light' : 'default'}
        {...(color && { color })}
        size="compact-sm"
        onClick={() => setOpened(true)}
      >
        {label}
      </Button>
      {opened && children(() => setOpened(false))}
    </>
  );
}

interface AskFirstProps {
  label: string;
  question: string;
  /** The consequences, in a sentence. */
  children: ReactNode;
  onConfirm(): Promise<unknown>;
}

/** A button that asks before it does what cannot be undone. `onConfirm` rejects if it fails; the dialog then says why and stays open. */
export function AskFirst(props: AskFirstProps) {
  return (
    <DialogButton label={props.label} color="red">
      {close => <Question {...props} onClose={close} />}
    </DialogButton>
  );
}

function Question({ label, question, children, onConfirm, onClose }: AskFirstProps & { onClose(): void }) {
  const form = useRecordForm({ initial: {}, submit: onConfirm, onSaved: onClose });
  return (
    <FormDialog form={form} title={question} save={label} color="red" onClose={onClose}>
      <Text size="sm" component="div">
        {children}
      </Text>
    </FormDialog>
  );
}
