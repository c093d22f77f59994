import { Alert, Fieldset, SimpleGrid, Stack } from '@mantine/core';
import { endpointNames, type IssuedToken, type NewToken, type TokenInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { api } from '../api.ts';
import { Page } from '../layout/page.tsx';
import { useChanged, useResource } from '../layout/reading.ts';
import { FormPage } from '../layout/record-form.tsx';
import type { SettingProps } from '../layout/setting-props.ts';
import { Failed, Loading } from '../layout/states.tsx';
import { changesOf, type RecordForm, useRecordForm } from '../layout/use-record-form.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { BudgetField } from '../settings-form/budget-field.tsx';
import { ExpiryField } from '../settings-form/expiry-field.tsx';
import { TextSetting } from '../settings-form/inputs.tsx';
import { LimitsField } from '../settings-form/limits-field.tsx';
import { OwnerField, ProjectField } from '../settings-form/name-fields.tsx';
import { ModelScopeField, ScopeField } from '../settings-form/scope-field.tsx';
import { TextsField } from '../settings-form/texts-field.tsx';
import { IssuedTokenPage } from './issued-token.tsx';

/** The settings of a token that a form has. */
export type TokenSettings = Pick<
  TokenInfo,
  | 'name'
  | 'project'
  | 'owner'
  | 'expiresAt'
  | 'models'
  | 'endpoints'
  | 'allowedAddresses'
  | 'limits'
  | 'budget'
  | 'tags'
>;

/** The page on which a token is made. `project` and `owner` in the URL's query are filled in. */
export function NewTokenPage() {
  const { session } = useSession();
  const [issued, setIssued] = useState<IssuedToken>();
  if (issued) return <IssuedTokenPage token={issued} />;
  if (!session) return <Loading />;
  return (
    <Page title="Create a token" about="Its secret is shown once, after this form.">
      {may(session, 'createToken') ? (
        <NewTokenForm onIssued={setIssued} />
      ) : (
        <Alert color="yellow" title="You may not create tokens">
          Your role lets you see tokens. Ask the manager of the project to create one, or to make you a
          member.
        </Alert>
      )}
    </Page>
  );
}

function NewTokenForm({ onIssued }: { onIssued(token: IssuedToken): void }) {
  const { forget } = useChanged();
  const form = useRecordForm({
    initial: useFilledIn(),
    draft: 'new-token',
    isIdempotent: true,
    submit: (settings, { idempotencyKey }) =>
      api.call('createToken', { body: newTokenOf(settings), idempotencyKey }),
    onSaved: issued => {
      forget();
      onIssued(issued);
    },
  });
  return (
    <FormPage form={form} label="Token" save="Create the token" cancelTo="/tokens">
      <TokenFields form={form} />
    </FormPage>
  );
}

/** Returns an empty form with what the URL names, and with the project in which alone the user may make tokens. */
function useFilledIn(): TokenSettings {
  const { session } = useSession();
  const [query] = useSearchParams();
  const projects = session?.projects.filter(({ project }) => may(session, 'createToken', { project })) ?? [];
  const first = session?.role === 'admin' ? '' : (projects[0]?.project ?? '');
  const project = query.get('project') ?? first;
  const onlyOwn = !may(session, 'createToken', { own: false, ...(project && { project }) });
  return {
    ...{ name: '', project, owner: query.get('owner') ?? (onlyOwn ? (session?.name ?? null) : null) },
    ...{ expiresAt: null, models: null, endpoints: null, allowedAddresses: null },
    ...{ limits: null, budget: null, tags: {} },
  };
}

/** The page on which a token is changed. */
export function EditToken() {
  const { id = '' } = useParams();
  const { value, etag, error, reload } = useResource('showToken', { params: { id } });
  if (!value) return error ? <Failed error={error} onRetry={reload} /> : <Loading what="the token" />;
  return (
    <Page title={`Edit ${value.name}`} about="Changes apply at every ingress at once.">
      <EditForm token={value} etag={etag} reload={reload} />
    </Page>
  );
}

function EditForm({
  token: { id, ...token },
  etag,
  reload,
}: {
  token: TokenInfo;
  etag: string | null;
  reload(): Promise<unknown>;
}) {
  const navigate = useNavigate();
  const { changed } = useChanged();
  const page = `/tokens/${encodeURIComponent(id)}`;
  const form = useRecordForm({
    initial: settingsOf(token),
    ...{ etag, reload, draft: `token ${id}` },
    // What is as it was is not sent, so that it cannot undo the change of somebody else.
    submit: (settings, { before, ifMatch }) =>
      api.call('changeToken', {
        ...{ params: { id }, ifMatch },
        body: changesOf(newTokenOf(before), newTokenOf(settings)),
      }),
    onSaved: async () => {
      await changed();
      navigate(page);
    },
  });
  return (
    <FormPage form={form} label="Token" save="Save changes" cancelTo={page}>
      <TokenFields form={form} />
    </FormPage>
  );
}

/** Returns the settings of a token. */
function settingsOf(token: TokenSettings): TokenSettings {
  const { name, project, owner, expiresAt, models, endpoints, allowedAddresses, limits, budget, tags } =
    token;
  return { name, project, owner, expiresAt, models, endpoints, allowedAddresses, limits, budget, tags };
}

/** Returns the body of a request for a token. Without a project, the gateway chooses it. */
export function newTokenOf({ name, project, owner, ...settings }: TokenSettings): NewToken {
  return {
    name: name.trim(),
    ...(project.trim() && { project: project.trim() }),
    owner: owner?.trim() || null,
    ...settings,
  };
}

function TokenFields({ form: { setting, values } }: { form: RecordForm<TokenSettings> }) {
  return (
    <>
      <Fieldset legend="Token">
        <Stack gap="sm">
          <TextSetting
            {...setting('name')}
            label="Name"
            description="What uses it, such as a program or a person's device."
            required
            data-autofocus
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <ProjectField {...setting('project')} />
            <OwnerField {...setting('owner')} project={values.project} />
          </SimpleGrid>
          <ExpiryField
            {...setting('expiresAt')}
            description="In your time zone. Leave empty for no expiry."
          />
        </Stack>
      </Fieldset>
      <Fieldset legend="Permissions">
        <Stack gap="md">
          <ModelScopeField {...setting('models')} />
          <ScopeField
            {...(setting('endpoints') as SettingProps<string[] | null>)}
            label="Endpoints"
            every="All endpoints"
            description="The API formats of clients."
            choices={endpointNames}
            placeholder="chat, responses"
          />
          <ScopeField
            {...setting('allowedAddresses')}
            label="IP addresses"
            every="Any address"
            description="IP addresses and CIDR ranges of clients, such as 10.0.0.0/8."
            placeholder="10.0.0.0/8"
          />
        </Stack>
      </Fieldset>
      <LimitsField {...(setting('limits') as SettingProps<TokenSettings['limits'] | undefined>)} />
      <BudgetField {...(setting('budget') as SettingProps<TokenSettings['budget'] | undefined>)} />
      <TextsField
        {...setting('tags')}
        legend="Tags"
        noun="tag"
        about="Usage can be filtered and grouped by tags."
        example={['team', 'search']}
      />
    </>
  );
}
