import { Alert, Anchor, Button, Divider, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useSearchParams } from 'react-router';
import { api } from '../api.ts';
import { toProblem } from '../problem.ts';
import classes from './form-page.module.css';
import { PasswordForm } from './password-form.tsx';
import { useSession } from './use-session.ts';

/** The page on which users sign in, by password or at the OpenID provider. */
export function SignIn() {
  const [query] = useSearchParams();
  const { session } = useSession();
  const ways = useQuery({
    queryKey: ['ways'],
    queryFn: ({ signal }) => api.call('showSignInWays', { signal }),
  });
  const returnTo = pageOf(query.get('returnTo'));
  if (session) return <Navigate to={returnTo} replace />;
  const refusal = query.get('problem');
  return (
    <Paper withBorder className={classes.form}>
      <Stack gap="md">
        <Title order={1} size="h4">
          Sign in
        </Title>
        {refusal && <Alert color="red" title={refusals[refusal] ?? 'You could not be signed in.'} />}
        {ways.isPending && <Loader size="sm" role="status" aria-label="The ways to sign in are being read" />}
        {ways.error && <Alert color="red" title={toProblem(ways.error).message} />}
        {ways.data?.oidc && (
          <Button
            component="a"
            href={`/api/v1/session/oidc?${new URLSearchParams({ returnTo: `/console${returnTo}` })}`}
          >
            Sign in with single sign-on
          </Button>
        )}
        {ways.data?.oidc && ways.data.password && <Divider label="or" />}
        {ways.data?.password && <PasswordForm isFirst={!ways.data.oidc} />}
        <Text size="sm" c="dimmed">
          New here? The{' '}
          <Anchor component={Link} to="/start" inherit>
            first steps
          </Anchor>{' '}
          say where the password of the first admin is. The{' '}
          <Anchor component={Link} to="/playground" inherit>
            Playground
          </Anchor>{' '}
          needs no login, only a token.
        </Text>
      </Stack>
    </Paper>
  );
}

/** Returns the page of the console to go to: a path below /console, without that. */
function pageOf(path: string | null): string {
  return path && /^\/(?![/\\])/.test(path) ? path : '/home';
}

/** The reasons for which a sign-in at the OpenID provider fails, by the code of control's error. */
const refusals: Record<string, string> = {
  sign_in_failed: 'The answer of the provider was not valid, or it came too late. Sign in again.',
  sign_in_refused: 'The provider refused the sign-in.',
  insufficient_permissions: 'You have no login here, or it is disabled. Ask an admin.',
  oidc_not_configured: 'Single sign-on is not configured.',
  oidc_unreachable: 'The provider cannot be reached.',
  too_many_attempts: 'There were too many attempts. Wait 15 minutes, and sign in again.',
};
