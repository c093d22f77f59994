import type { RefusedEntry } from '@model-gateway/admin-api';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { useResource } from '../layout/reading.ts';
import { Section } from '../layout/section.tsx';
import { Empty, Failed, Loading } from '../layout/states.tsx';
import { OutcomeBadge } from '../ledger/outcome-badge.tsx';
import { useTokenNames } from '../ledger/use-token-names.ts';

/** A request without attempts: the gateway refused it, or it is not known. */
export function RefusedRequest({ id }: { id: string }) {
  const { value, error, reload } = useResource('listRefused', { query: { request: id, limit: '1' } });
  const [refused] = value?.data ?? [];
  if (refused) return <RefusedFacts refused={refused} />;
  if (error) return <Failed error={error} onRetry={reload} />;
  return !value ? <Loading what="the request" /> : <NotFound />;
}

function RefusedFacts({ refused }: { refused: RefusedEntry }) {
  const tokenName = useTokenNames();
  const { at, status, reason, code, param, endpoint, model, token, project, owner } = refused;
  return (
    <Section title="Details">
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
    <Empty title="Request not found">
      It may be older than the ledger's retention, or belong to a project in which you have no role. Of the
      requests that the gateway refuses, a few of each minute are kept for a week. A request that has just
      ended appears a second or two later.
    </Empty>
  );
}
