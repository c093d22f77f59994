import { Anchor, Text } from '@mantine/core';
import type { ResponseOf } from '@model-gateway/admin-api';
import { Link } from 'react-router';
import { formatCount } from '../layout/format.ts';
import { Section } from '../layout/page.tsx';
import { PlainTable } from '../layout/plain-table.tsx';
import { useResource } from '../layout/reading.ts';
import { Failed, Loading } from '../layout/states.tsx';

/** The filters that numbers of refused requests know. */
const known = ['from', 'to', 'token', 'project', 'owner', 'model'] as const;

type Filter = Record<string, string | undefined>;
type Refused = ResponseOf<'totalRefused'>['data'][number];

/** Returns the part of a filter that numbers of refused requests know; undefined if it asks for more. */
export function refusedFilter(filter: Filter): Filter | undefined {
  const given = Object.entries(filter).filter(([, value]) => value);
  const isKnown = given.every(([name]) => known.some(each => each === name));
  return isKnown ? Object.fromEntries(given) : undefined;
}

/** The numbers of requests that the gateway refused before it called a provider, by token and reason. */
export function RefusedSection({
  filter,
  tokenName,
}: {
  filter: Filter;
  /** Absent on the page of one token. */
  tokenName?: (id: string) => string;
}) {
  const { value, error, reload } = useResource('totalRefused', { query: filter });
  return (
    <Section title="Refused requests">
      <Text size="sm" c="dimmed" mb="xs">
        Refused by the gateway before it called a provider. Not included in the figures of requests.
      </Text>
      {error ? (
        <Failed error={error} onRetry={reload} />
      ) : !value ? (
        <Loading what="refused requests" />
      ) : value.data.length === 0 ? (
        <Text size="sm">None.</Text>
      ) : (
        <PlainTable
          label="Refused requests"
          minWidth={480}
          rows={value.data}
          keyOf={({ token, reason, status }) => `${token} ${reason} ${status}`}
          columns={[
            {
              label: 'Reason',
              render: ({ token, reason }: Refused) => (
                <Anchor component={Link} to={requestsOf(filter, token, reason)} size="sm">
                  {reason}
                </Anchor>
              ),
            },
            { label: 'Status', render: ({ status }) => status },
            ...(tokenName
              ? [
                  {
                    label: 'Token',
                    render: ({ token }: Refused) => (token ? tokenName(token) : 'No valid token'),
                  },
                ]
              : []),
            { label: 'Requests', numeric: true, render: ({ refused }) => formatCount(refused) },
          ]}
        />
      )}
    </Section>
  );
}

/** Returns the list of the requests of a row, a few of each minute. */
function requestsOf(filter: Filter, token: string | null, reason: string): string {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const wanted = { ...Object.fromEntries(given), outcome: 'refused', error: reason, ...(token && { token }) };
  return `/requests/history?${new URLSearchParams(wanted)}`;
}
