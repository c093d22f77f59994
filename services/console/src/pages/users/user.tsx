import { SimpleGrid, Stack } from '@mantine/core';
import type { UserInfo } from '@model-gateway/admin-api';
import { useNavigate, useParams } from 'react-router';
import { api } from '../api.ts';
import { AskFirst } from '../layout/ask-first.tsx';
import { formatTime } from '../layout/format.ts';
import { Page } from '../layout/page.tsx';
import { PageLink } from '../layout/page-link.tsx';
import { Section } from '../layout/section.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { useForget, useResource } from '../layout/use-resource.ts';
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
      about={`A user since ${formatTime(user.createdAt)}`}
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
        <LoginSection user={user} etag={etag} />
        <Stack>
          <Section title="Roles in projects">
            <UserProjects user={user} />
          </Section>
          <UserBudget key={name} user={user} etag={etag} />
        </Stack>
      </SimpleGrid>
      <Deletion user={user} />
    </Page>
  );
}

function Deletion({ user: { name } }: { user: UserInfo }) {
  const navigate = useNavigate();
  const forget = useForget();
  const remove = async () => {
    await api.call('deleteUser', { params: { name } });
    forget('listUsers', 'listMembers');
    navigate('/users');
  };
  return (
    <div>
      <AskFirst label="Delete the user" question={`Delete the user ${name}?`} onConfirm={remove}>
        The login, sessions, roles and budget are gone. Only a user who owns no tokens can be deleted. The
        usage and the audit log keep the name.
      </AskFirst>
    </div>
  );
}
