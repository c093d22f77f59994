import { Button, Menu, Text } from '@mantine/core';
import { Link, useLocation } from 'react-router';
import { useSession, useSignOut } from './use-session.ts';

/** The menu of the user who is signed in, or the way to sign in. */
export function AccountMenu() {
  const { session } = useSession();
  const { pathname, search } = useLocation();
  const signOut = useSignOut();
  if (session === undefined) return null;
  if (session === null) {
    if (pathname === '/sign-in') return null;
    return (
      <Button
        component={Link}
        // Who signs in on the Playground or the first steps has no other page to come back to.
        to={`/sign-in?${new URLSearchParams({ returnTo: pathname === '/playground' ? '/home' : pathname + search })}`}
        variant="subtle"
        size="compact-sm"
      >
        Sign in
      </Button>
    );
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" size="compact-sm" maw={160}>
          {session.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.role ??
            (session.projects.map(({ project, role }) => `${role} of ${project}`).join(', ') || 'no role')}
        </Menu.Label>
        <Menu.Item component={Link} to="/account">
          Account
        </Menu.Item>
        <Menu.Item component={Link} to="/start">
          First steps
        </Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
        {signOut.error && (
          <Text c="red" size="sm" px="sm">
            {signOut.error.message}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
