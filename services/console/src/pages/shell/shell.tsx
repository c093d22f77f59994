import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet } from 'react-router';
import icon from '../icon.svg';
import { AccountMenu } from '../session/account-menu.tsx';
import { SessionEnded } from '../session/session-ended.tsx';
import { Commands } from './commands.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';
import { ThemeMenu } from './theme-menu.tsx';

/** The frame of every page: the header and the navigation. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 176, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      transitionDuration={0}
    >
      <AppShell.Header>
        <Group h="100%" px="md" gap="xs" wrap="nowrap">
          <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
          <img src={icon} alt="" width={22} height={22} />
          <Text fw={650} className={classes.wide}>
            Model Gateway
          </Text>
          <div className={classes.account}>
            <Commands />
            <ThemeMenu />
            <AccountMenu />
          </div>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <Navigation onFollow={close} />
      </AppShell.Navbar>
      <AppShell.Main>
        <ConnectionBanner />
        <Outlet />
      </AppShell.Main>
      <SessionEnded />
    </AppShell>
  );
}
