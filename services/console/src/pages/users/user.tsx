import { SimpleGrid, Stack } from '@mantine/core';
import type { UserInfo } from '@model-gateway/admin-api';
import { useNavigate, useParams } from 'react-router';
import { api } from '../api.ts';
import { formatTime } from '../layout/format.ts';
import { Page, PageLink, Section } from '../layout/page.tsx';
import { useChanged, useResource } from '../layout/reading.ts';
import { AskFirst } from '../layout/record-form.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { LoginSection } from './login-section.tsx';
import { UserBudget } from './user-budget.tsx';
import { UserProjects } from './user-projects.tsx';

/** The page of one user: how the user signs in, roles in projects, and the budget. */
export function User() {
  const { name = '' } = useParams();
  const { value: user, etag, error, reload } = useResource('showUser', { params: { name } });
  if (!user)
    return (
      <Page title={name}>
        {error ? <Failed error={error} onRetry={reload} /> : <Loading what="the user" />}
      </Page>
    );
  return (
    <Page
      title={name}
      about={`Created ${formatTime(user.createdAt)}`}
      actions={
        <>
          <PageLink to="/tokens" query={{ owner: name }}>
            Tokens
          </PageLink>
          <PageLink to="/usage" query={{ owner: name }}>
            Usage
          </PageLink>
          <PageLink to="/audit" query={{ actor: name }}>
            Audit log
          </PageLink>
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <LoginSection {...{ user, etag, reload }} />
        <Stack>
          <Section title="Roles in projects">
            <UserProjects user={user} />
          </Section>
          <UserBudget key={name} {...{ user, etag, reload }} />
        </Stack>
      </SimpleGrid>
      <Deletion user={user} />
    </Page>
  );
}

function Deletion({ user: { name } }: { user: UserInfo }) {
  const navigate = useNavigate();
  const { forget } = useChanged();
  const remove = async () => {
    await api.call('deleteUser', { params: { name } });
    forget();
    navigate('/users');
  };
  return (
    <div>
      <AskFirst label="Delete the user" question={`Delete the user ${name}?`} onConfirm={remove}>
        Deletes the login, sessions, roles and budget. Only a user who owns no tokens can be deleted. Usage
        and audit log keep the name.
      </AskFirst>
    </div>
  );
}
