import { Box } from '@mantine/core';
import type { ProjectInfo, SessionInfo } from '@model-gateway/admin-api';
import { useNavigate, useParams } from 'react-router';
import { api } from '../api.ts';
import { formatTime } from '../layout/format.ts';
import { Page, PageLink } from '../layout/page.tsx';
import { useChanged, useResource } from '../layout/reading.ts';
import { AskFirst } from '../layout/record-form.tsx';
import { RecordTabs } from '../layout/record-tabs.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { Members } from '../members/members.tsx';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { ManagedByFile } from '../settings-form/managed-by-file.tsx';
import { ProjectForm } from './project-form.tsx';
import { ProjectOverview } from './project-overview.tsx';

/** The page of one project: its settings in force, members, and what admins may change. */
export function Project() {
  const { name = '' } = useParams();
  const { session } = useSession();
  const { value: project, etag, error, reload } = useResource('showProject', { params: { name } });
  if (!project)
    return (
      <Page title={name}>
        {error ? <Failed error={error} onRetry={reload} /> : <Loading what="the project" />}
      </Page>
    );
  const settings = {
    value: 'settings',
    label: 'Settings',
    content: project.place ? (
      <ManagedByFile kind="project" name={name} place={project.place} />
    ) : (
      <>
        <ProjectForm key={name} project={project} etag={etag} reload={reload} />
        {may(session, 'deleteProject') && <Deletion project={project} etag={etag} />}
      </>
    ),
  };
  return (
    <Page
      title={name}
      about={`Created ${formatTime(project.createdAt)}`}
      actions={<Links name={name} session={session} />}
    >
      <RecordTabs
        label="Parts of the project"
        tabs={[
          { value: 'overview', label: 'Overview', content: <ProjectOverview project={project} /> },
          { value: 'members', label: 'Members', content: <Members project={name} /> },
          ...(may(session, 'setProject') ? [settings] : []),
        ]}
      />
    </Page>
  );
}

function Links({ name, session }: { name: string; session: SessionInfo | null | undefined }) {
  const query = { project: name };
  return (
    <>
      <PageLink to="/tokens" query={query}>
        Tokens
      </PageLink>
      <PageLink to="/usage" query={query}>
        Usage
      </PageLink>
      <PageLink to="/requests" query={query}>
        Requests
      </PageLink>
      {may(session, 'listAudit', { project: name }) && (
        <PageLink to="/audit" query={query}>
          Audit log
        </PageLink>
      )}
    </>
  );
}

function Deletion({ project: { name }, etag }: { project: ProjectInfo; etag: string | null }) {
  const navigate = useNavigate();
  const { forget } = useChanged();
  const remove = async () => {
    await api.call('deleteProject', { params: { name }, ifMatch: etag ?? undefined });
    forget();
    navigate('/projects');
  };
  return (
    <Box mt="xl">
      <AskFirst label="Delete the project" question={`Delete the project ${name}?`} onConfirm={remove}>
        Deletes its settings and the roles of its members. Only a project without tokens can be deleted. Its
        usage and its audit log are kept under the name.
      </AskFirst>
    </Box>
  );
}
