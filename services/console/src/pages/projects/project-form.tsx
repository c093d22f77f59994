import { Fieldset, NumberInput, Stack, Switch } from '@mantine/core';
import type { ProjectInfo } from '@model-gateway/admin-api';
import { useQueryClient } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';
import { EditButtons } from '../layout/edit-buttons.tsx';
import { type Edit, useEdit } from '../layout/use-edit.ts';
import { BudgetField } from '../settings-form/budget-field.tsx';
import { LimitsField } from '../settings-form/limits-field.tsx';
import { PricesField } from '../settings-form/prices-field.tsx';
import { LoggingField } from './logging-field.tsx';
import { draftOfProject, type ProjectDraft, settingsOfDraft } from './project-draft.ts';

/** The form for the settings of a project that gateway.yaml does not state. */
export function ProjectForm({ project, etag }: { project: ProjectInfo; etag: string | null }) {
  const { name } = project;
  const params = { name };
  const queries = useQueryClient();
  const edit = useEdit({
    resource: { value: project, etag },
    draftOf: draftOfProject,
    read: () => api.callForResource('showProject', { params }),
    write: (draft, _, ifMatch) =>
      api.callForResource('setProject', { params, body: settingsOfDraft(draft), ifMatch }),
    saved: `The settings of ${name} are saved. They hold for the next request.`,
    readAgain: () => queries.invalidateQueries({ queryKey: [ofUser] }),
  });
  const { draft, change, errors } = edit;
  return (
    <Stack maw={760}>
      <BudgetField
        value={draft.budget}
        onChange={budget => change({ budget })}
        path="budget"
        errors={errors}
      />
      <LimitsField
        value={draft.limits}
        onChange={limits => change({ limits })}
        path="limits"
        errors={errors}
      />
      <Handling edit={edit} />
      <LoggingField
        value={draft.logging}
        onChange={logging => change({ logging })}
        path="logging"
        errors={errors}
      />
      <PricesField
        value={draft.prices}
        onChange={prices => change({ prices })}
        path="prices"
        errors={errors}
      />
      <EditButtons edit={edit as Edit<object>} label="Save the settings" />
    </Stack>
  );
}

function Handling({ edit }: { edit: Edit<ProjectDraft> }) {
  const { draft, change, errors } = edit;
  return (
    <Fieldset legend="Handling of requests">
      <Stack gap="sm">
        <Switch
          label="Allow models without a price"
          description="What they cost counts as nothing. Without it, tokens with a budget may not use them."
          checked={draft.allowUnpriced}
          onChange={event => change({ allowUnpriced: event.currentTarget.checked })}
        />
        <Switch
          label="Store responses"
          description="Clients of the responses format can read a stored response again, and go on from it."
          checked={draft.storeResponses}
          onChange={event => change({ storeResponses: event.currentTarget.checked })}
        />
        <Switch
          label="Store error messages"
          description="A failed attempt keeps the beginning of the provider's message, without secrets and without texts of the request."
          checked={draft.storeErrors}
          onChange={event => change({ storeErrors: event.currentTarget.checked })}
        />
        <NumberInput
          label="Share of busy workers"
          description="Relative to other projects, from 0.01 to 1000. An empty field is 1."
          w={280}
          value={draft.weight}
          error={errors.weight}
          hideControls
          onChange={weight => change({ weight: weight === '' ? '' : Number(weight) })}
        />
      </Stack>
    </Fieldset>
  );
}
