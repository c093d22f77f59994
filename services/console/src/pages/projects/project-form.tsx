import { Fieldset, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ProjectInfo, ProjectSettings } from '@model-gateway/admin-api';
import { useNavigate } from 'react-router';
import { api } from '../api.ts';
import { useChanged } from '../layout/reading.ts';
import { FormDialog, FormPage } from '../layout/record-form.tsx';
import { type RecordForm, useRecordForm } from '../layout/use-record-form.ts';
import { BudgetField } from '../settings-form/budget-field.tsx';
import { NameSetting, NumberSetting, SwitchSetting } from '../settings-form/inputs.tsx';
import { LimitsField } from '../settings-form/limits-field.tsx';
import { PricesField } from '../settings-form/prices-field.tsx';
import { LoggingField } from './logging-field.tsx';

/** The dialog that creates a project. Its settings are set on its page. */
export function NewProject({ onClose }: { onClose(): void }) {
  const { changed } = useChanged();
  const navigate = useNavigate();
  const form = useRecordForm({
    initial: { name: '' },
    isTaken: 'There is a project with this name already.',
    submit: ({ name }) =>
      api.call('setProject', { params: { name: name.trim() }, body: {}, createOnly: true }),
    onSaved: async project => {
      await changed();
      navigate(`/projects/${encodeURIComponent(project.name)}?tab=settings`);
    },
  });
  return (
    <FormDialog form={form} title="Create a project" save="Create the project" onClose={onClose}>
      <NameSetting
        {...form.setting('name')}
        description="Clients and reports use this name. It cannot be changed later."
      />
    </FormDialog>
  );
}

/** The form for the settings of a project. */
export function ProjectForm({
  project,
  etag,
  reload,
}: {
  project: ProjectInfo;
  etag: string | null;
  reload(): Promise<unknown>;
}) {
  const { name } = project;
  const params = { name };
  const { changed, written } = useChanged();
  const form = useRecordForm({
    initial: settingsOf(project),
    ...{ etag, reload },
    submit: (settings, { ifMatch }) => api.callForResource('setProject', { params, body: settings, ifMatch }),
    onSaved: saved => {
      written('showProject', params, saved);
      notifications.show({ message: `The settings of ${name} are saved. They apply to the next request.` });
      return changed();
    },
  });
  const { setting } = form;
  return (
    <FormPage form={form} label="Settings" save="Save the settings">
      <BudgetField {...setting('budget')} />
      <LimitsField {...setting('limits')} />
      <Handling setting={setting} />
      <LoggingField {...setting('logging')} />
      <PricesField {...setting('prices')} />
    </FormPage>
  );
}

/** Returns the settings of a project. */
export function settingsOf({
  limits,
  budget,
  allowUnpriced,
  prices,
  weight,
  storeResponses,
  storeErrors,
  logging,
}: ProjectInfo): ProjectSettings {
  return { limits, budget, allowUnpriced, prices, weight, storeResponses, storeErrors, logging };
}

function Handling({ setting }: Pick<RecordForm<ProjectSettings>, 'setting'>) {
  return (
    <Fieldset legend="Request handling">
      <Stack gap="sm">
        <SwitchSetting
          {...setting('allowUnpriced')}
          usual={false}
          label="Allow models without a price"
          description="Their cost counts as zero. Otherwise tokens with a budget may not use them."
        />
        <SwitchSetting
          {...setting('storeResponses')}
          usual
          label="Store responses"
          description="Clients of the Responses API can retrieve a stored response and continue from it."
        />
        <SwitchSetting
          {...setting('storeErrors')}
          usual
          label="Store error messages"
          description="The beginning of the provider's message is stored with a failed attempt, without secrets and without texts of the request."
        />
        <NumberSetting
          {...setting('weight')}
          label="Scheduling weight"
          description="The share of busy workers, relative to other projects: 0.01 to 1000. Default: 1."
          w={280}
        />
      </Stack>
    </Fieldset>
  );
}
