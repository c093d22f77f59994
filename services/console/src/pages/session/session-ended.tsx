import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../api.ts';
import { toProblem } from '../problem.ts';
import { PasswordForm } from './password-form.tsx';
import { useSession, useSessionEnded, useSignedIn } from './use-session.ts';

/**
 * A dialog over the page on which the user's session has ended. The page stays as it is, so that nothing typed is lost; after the
 * sign-in it goes on.
 */
export function SessionEnded() {
  const { leave } = useSessionEnded();
  return (
    <Modal opened onClose={leave} title="Your session has ended" closeOnClickOutside={false}>
      <SignInAgain onLeave={leave} />
    </Modal>
  );
}

function SignInAgain({ onLeave }: { onLeave(): void }) {
  const { session } = useSession();
  const queries = useQueryClient();
  const signedIn = useSignedIn();
  const ways = useQuery({
    queryKey: ['ways'],
    queryFn: ({ signal }) => api.call('showSignInWays', { signal }),
  });
  // A sign-in in another tab, such as that of the OpenID provider, makes a session for this one, too.
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      api.call('showSession').then(signedIn, () => undefined);
    };
    document.addEventListener('visibilitychange', look);
    addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      removeEventListener('focus', look);
    };
  }, [signedIn]);
  const goOn = () => void queries.invalidateQueries();
  return (
    <Stack>
      <Text size="sm">Sign in again to continue. What you typed is still here.</Text>
      {ways.error && <Alert color="red" title={toProblem(ways.error).message} />}
      {ways.data?.oidc && (
        <Button
          component="a"
          target="_blank"
          rel="noopener"
          href="/api/v1/session/oidc?returnTo=/console/account"
        >
          Sign in with single sign-on in a new tab
        </Button>
      )}
      {ways.data?.password && (
        <PasswordForm isFirst={!ways.data.oidc} user={session?.name ?? ''} onSignedIn={goOn} />
      )}
      <Group justify="flex-end">
        <Button variant="subtle" size="compact-sm" onClick={onLeave}>
          Leave this page
        </Button>
      </Group>
    </Stack>
  );
}
