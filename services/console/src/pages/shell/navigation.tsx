import { NavLink, Text } from '@mantine/core';
import type { RoleEndpoint } from '@model-gateway/admin-api';
import type { ComponentType } from 'react';
import { Link, useLocation } from 'react-router';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import classes from './shell.module.css';

/** A page of the console that the navigation and the command palette list. */
export interface ConsolePage {
  /** The path below `/console`. Pages below it, such as one record's, belong to the same entry. */
  path: string;
  label: string;
  group: PageGroup;
  /** The endpoint of the admin API that the page reads. Only users who may call it see the page; absent for pages without a login. */
  reads?: RoleEndpoint;
  Component: ComponentType;
}

const pageGroups = ['Use', 'Watch', 'Manage'] as const;
type PageGroup = (typeof pageGroups)[number];

/** The pages that the user may see, in groups. Without a login that is the Playground alone. */
export function Navigation({ pages, onFollow }: { pages: readonly ConsolePage[]; onFollow(): void }) {
  const { session } = useSession();
  const { pathname } = useLocation();
  const seen = pages.filter(({ reads }) => !reads || may(session, reads));
  return pageGroups.map(group => {
    const ofGroup = seen.filter(page => page.group === group);
    if (ofGroup.length === 0) return null;
    return (
      <div key={group}>
        <Text size="xs" c="dimmed" px="sm" pt="xs">
          {group}
        </Text>
        {ofGroup.map(({ path, label }) => {
          const active = pathname === path || pathname.startsWith(`${path}/`);
          return (
            <NavLink
              key={path}
              component={Link}
              to={path}
              label={label}
              active={active}
              aria-current={active ? 'page' : undefined}
              onClick={onFollow}
              className={classes.link}
            />
          );
        })}
      </div>
    );
  });
}
