import type { RefusedEntry } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { Section } from '../layout/section.tsx';
import { Empty, Failed, Loading } from '../layout/states.tsx';
import { OutcomeBadge } from '../ledger/outcome-badge.tsx';
import { useTokenNames } from '../ledger/use-token-names.ts';

/** A request without attempts: the gateway refused it, or it is not known. */
export function RefusedRequest({ id }: { id: string }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [ofUser, 'refused-request', id],
    queryFn: ({ signal }) => api.call('listRefused', { query: { request: id, limit: '1' }, signal }),
  });
  const [refused] = data?.data ?? [];
  if (refused) return <RefusedFacts refused={refused} />;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  return isPending ? <Loading what="the request" /> : <NotFound />;
}

function RefusedFacts({ refused }: { refused: RefusedEntry }) {
  const tokenName = useTokenNames();
  const { at, status, reason, code, param, endpoint, model, token, project, owner } = refused;
  return (
    <Section title="Facts">
      <Facts
        facts={[
          ['Outcome', <OutcomeBadge key="outcome" outcome="refused" />],
          ['Reason', reason],
          ['Status', String(status)],
          ['Code', code ?? '–'],
          ...(param ? [['Field', param] as const] : []),
          ['Time', formatTime(at)],
          ['Endpoint', endpoint],
          ['Model', model || '–'],
          ['Token', token === null ? '–' : tokenName(token)],
          ['Project', project ?? '–'],
          ['Owner', owner ?? '–'],
        ]}
      />
    </Section>
  );
}

function NotFound() {
  return (
    <Empty title="This request is not known">
      It may be older than what the ledger keeps, or belong to a project in which you have no role. Of the
      requests that the gateway refuses, a few of each minute are kept for a week. A request that has just
      ended is here a second or two later.
    </Empty>
  );
}
