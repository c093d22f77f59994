import { Anchor } from '@mantine/core';
import type { RoleEndpoint } from '@model-gateway/admin-api';
import type { ReactNode } from 'react';
import { Link, Navigate, useLocation } from 'react-router';
import { Page } from '../layout/page.tsx';
import { Empty, Failed, Loading } from '../layout/states.tsx';
import { may } from './may.ts';
import { useSession } from './use-session.ts';

/** A page for those who may call an endpoint: others are told so, and who is not signed in is led to the sign-in and back. */
export function Guard({
  reads,
  label,
  children,
}: {
  reads: RoleEndpoint | undefined;
  label: string;
  children: ReactNode;
}) {
  const { session, error } = useSession();
  const { pathname, search } = useLocation();
  if (!reads) return children;
  if (session === undefined) return error ? <Failed error={error} /> : <Loading />;
  if (session === null) {
    return <Navigate to={`/sign-in?${new URLSearchParams({ returnTo: pathname + search })}`} replace />;
  }
  if (may(session, reads)) return children;
  return (
    <Page title={label}>
      <Empty title="You may not see this page">
        Your role does not allow it.{' '}
        <Anchor component={Link} to="/account" inherit>
          Your account
        </Anchor>{' '}
        lists your roles; an admin, or the manager of a project, can give you another one.
      </Empty>
    </Page>
  );
}
