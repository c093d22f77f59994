import { Button } from '@mantine/core';
import { Link } from 'react-router';

/** A link to another page of the console, such as the tokens of a project. Empty values of `query` are left out. */
export function PageLink({
  to,
  query = {},
  children,
}: {
  to: string;
  query?: Record<string, string>;
  children: string;
}) {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  return (
    <Button component={Link} to={`${to}${search}`} variant="default" size="compact-sm">
      {children}
    </Button>
  );
}
