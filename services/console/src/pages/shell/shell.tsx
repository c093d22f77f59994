import { Anchor, AppShell, Burger, Container, Group, NavLink, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation } from 'react-router';
import icon from '../icon.svg';
import { AccountMenu } from '../session/account-menu.tsx';
import classes from './shell.module.css';

/** The frame of every page: the header and the navigation. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 176, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      transitionDuration={0}
    >
      <AppShell.Header>
        <Group h="100%" px="md" gap="xs">
          <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
          <img src={icon} alt="" width={22} height={22} />
          <Text fw={650}>Model Gateway</Text>
          <div className={classes.account}>
            <AccountMenu />
          </div>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        {pages.map(({ path, label }) => (
          <NavLink
            key={path}
            component={Link}
            to={path}
            label={label}
            active={pathname === path}
            aria-current={pathname === path ? 'page' : undefined}
            onClick={close}
            className={classes.link}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

/** The pages of the navigation. */
const pages = [{ path: '/playground', label: 'Playground' }] as const;

export function NotFound() {
  return (
    <Container py="xl">
      <Title order={1} size="h3">
        There is no such page
      </Title>
      <Text>
        Go to the{' '}
        <Anchor component={Link} to="/playground">
          Playground
        </Anchor>
        .
      </Text>
    </Container>
  );
}
