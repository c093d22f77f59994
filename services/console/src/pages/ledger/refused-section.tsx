import { Anchor, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, ofUser } from '../api.ts';
import { formatCount } from '../layout/format.ts';
import { Section } from '../layout/section.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { WideTable } from '../layout/wide-table.tsx';

/** The filters that numbers of refused requests know. */
const known = ['from', 'to', 'token', 'project', 'owner', 'model'] as const;

type Filter = Record<string, string | undefined>;

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
  const query = filter as Record<string, string>;
  const { data, error, refetch } = useQuery({
    queryKey: [ofUser, 'totalRefused', query],
    queryFn: ({ signal }) => api.call('totalRefused', { query, signal }),
  });
  return (
    <Section title="Refused requests">
      <Text size="sm" c="dimmed" mb="xs">
        The gateway refused them before it called a provider. They are no part of the figures of requests.
      </Text>
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading what="refused requests" />
      ) : data.data.length === 0 ? (
        <Text size="sm">None.</Text>
      ) : (
        <WideTable label="Refused requests" minWidth={480}>
          <Table aria-label="Refused requests">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Reason</Table.Th>
                <Table.Th>Status</Table.Th>
                {tokenName && <Table.Th>Token</Table.Th>}
                <Table.Th ta="right">Requests</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.data.map(({ token, reason, status, refused }) => (
                <Table.Tr key={`${token} ${reason} ${status}`}>
                  <Table.Td>
                    <Anchor component={Link} to={requestsOf(query, token, reason)} size="sm">
                      {reason}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>{status}</Table.Td>
                  {tokenName && <Table.Td>{token === null ? 'No valid token' : tokenName(token)}</Table.Td>}
                  <Table.Td ta="right">{formatCount(refused)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      )}
    </Section>
  );
}

/** Returns the list of the requests of a row, a few of each minute. */
function requestsOf(query: Record<string, string>, token: string | null, reason: string): string {
  const wanted = { ...query, outcome: 'refused', error: reason, ...(token && { token }) };
  return `/requests/history?${new URLSearchParams(wanted)}`;
}
