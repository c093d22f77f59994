import { Button, Fieldset, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { endpointNames } from '@model-gateway/admin-api';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { useWarnBeforeLeaving } from '../layout/draft-memory.ts';
import { fieldMessages } from '../problem.ts';
import { BudgetField } from '../settings-form/budget-field.tsx';
import { LimitsField } from '../settings-form/limits-field.tsx';
import { ProjectField } from '../settings-form/project-field.tsx';
import { ModelScopeField, ScopeField } from '../settings-form/scope-field.tsx';
import type { SettingProps } from '../settings-form/setting-props.ts';
import { TagsField } from '../settings-form/tags-field.tsx';
import { OwnerField } from '../settings-form/user-field.tsx';
import { ExpiryField } from './expiry-field.tsx';
import type { TokenDraft } from './token-draft.ts';

/** The form of a token, for a new one and for changes. It keeps what is typed while it is refused. */
export function TokenForm({
  initial,
  submitLabel,
  cancelTo,
  running,
  error,
  failure,
  onChange,
  onCancel,
  onSubmit,
}: {
  initial: TokenDraft;
  submitLabel: string;
  cancelTo: string;
  running: boolean;
  /** The last failure: the messages about fields are shown at these. */
  error: unknown;
  /** Shown above the buttons after a failure. */
  failure: ReactNode;
  onChange(draft: TokenDraft): void;
  onCancel(): void;
  onSubmit(draft: TokenDraft): void;
}) {
  const form = useForm<TokenDraft>({ initialValues: initial, onValuesChange: onChange });
  const element = useRef<HTMLFormElement>(null);
  const { setErrors } = form;
  useEffect(() => {
    if (error) setErrors(fieldMessages(error));
  }, [error, setErrors]);
  const refused = Object.keys(form.errors).length > 0;
  useEffect(() => {
    if (refused) element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [refused]);
  useWarnBeforeLeaving(form.isDirty() && !running);

  const setting = <Name extends keyof TokenDraft>(path: Name): SettingProps<TokenDraft[Name]> => ({
    path,
    value: form.values[path],
    errors: form.errors,
    onChange: value => {
      form.setFieldValue(path as string, value);
      const rest = Object.entries(form.errors).filter(([at]) => !new RegExp(`^${path}($|[.[])`).test(at));
      form.setErrors(Object.fromEntries(rest));
    },
  });
  return (
    <form ref={element} onSubmit={form.onSubmit(onSubmit)} aria-label="Token" noValidate>
      <Stack gap="md" maw={760}>
        <Identity draft={form.values} setting={setting} />
        <Scopes setting={setting} />
        <LimitsField {...setting('limits')} />
        <BudgetField {...setting('budget')} />
        <TagsField {...setting('tags')} />
        {failure}
        <Group gap="xs">
          <Button type="submit" loading={running}>
            {submitLabel}
          </Button>
          <Button component={Link} to={cancelTo} variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Setting = <Name extends keyof TokenDraft>(path: Name) => SettingProps<TokenDraft[Name]>;

function Identity({ draft, setting }: { draft: TokenDraft; setting: Setting }) {
  const name = setting('name');
  const { errors = {}, ...project } = setting('project');
  return (
    <Fieldset legend="Token">
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="What uses it, such as a program or a person's device."
          required
          value={name.value}
          onChange={event => name.onChange(event.currentTarget.value)}
          error={errors.name}
          data-autofocus
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <ProjectField value={project.value} onChange={project.onChange} error={errors.project} />
          <OwnerField
            project={draft.project}
            value={draft.owner}
            onChange={setting('owner').onChange}
            error={errors.owner}
          />
        </SimpleGrid>
        <ExpiryField {...setting('expiresAt')} />
      </Stack>
    </Fieldset>
  );
}

function Scopes({ setting }: { setting: Setting }) {
  return (
    <Fieldset legend="What it may use">
      <Stack gap="md">
        <ModelScopeField {...setting('models')} />
        <ScopeField
          {...setting('endpoints')}
          label="Endpoints"
          every="Every endpoint"
          description="The wire formats of clients."
          choices={endpointNames}
          placeholder="chat, responses"
        />
        <ScopeField
          {...setting('allowedAddresses')}
          label="Addresses"
          every="From every address"
          description="IP addresses and ranges of clients, such as 10.0.0.0/8."
          placeholder="10.0.0.0/8"
        />
      </Stack>
    </Fieldset>
  );
}
