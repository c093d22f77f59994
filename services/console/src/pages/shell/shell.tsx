import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { Outlet, useLocation } from 'react-router';
import icon from '../icon.svg';
import { Loading } from '../layout/states.tsx';
import { AccountMenu } from '../session/account-menu.tsx';
import { useSessionEnded } from '../session/use-session.ts';
import { Commands } from './commands.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { type ConsolePage, Navigation } from './navigation.tsx';
import { PageBoundary } from './page-boundary.tsx';
import classes from './shell.module.css';
import { ThemeMenu } from './theme-menu.tsx';

const SessionEnded = lazy(() =>
  import('../session/session-ended.tsx').then(dialog => ({ default: dialog.SessionEnded })),
);

/** The frame of every page: the header and the navigation. */
export function Shell({ pages }: { pages: readonly ConsolePage[] }) {
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const { ended } = useSessionEnded();
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
            <Commands pages={pages} />
            <ThemeMenu />
            <AccountMenu />
          </div>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <Navigation pages={pages} onFollow={close} />
      </AppShell.Navbar>
      <AppShell.Main>
        <ConnectionBanner />
        {/* Another page is tried again. */}
        <PageBoundary key={pathname.split('/')[1]}>
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </PageBoundary>
      </AppShell.Main>
      {ended && (
        <Suspense fallback={null}>
          <SessionEnded />
        </Suspense>
      )}
    </AppShell>
  );
}
