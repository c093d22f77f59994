import { NavLink, Text } from '@mantine/core';
import { Link, useLocation } from 'react-router';
import { pageGroups, pages } from '../pages.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import classes from './shell.module.css';

/** The pages that the user may see, in groups. Without a login that is the Playground alone. */
export function Navigation({ onFollow }: { onFollow(): void }) {
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
