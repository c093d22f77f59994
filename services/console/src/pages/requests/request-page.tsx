import { Anchor, Group, Text } from '@mantine/core';
import type { RefusedEntry, RunningInfo, UsageEntry } from '@model-gateway/admin-api';
import { Link, useParams, useSearchParams } from 'react-router';
import { Facts } from '../layout/facts.tsx';
import { formatBytes, formatMoney, formatMs, formatTime } from '../layout/format.ts';
import { Page, Section } from '../layout/page.tsx';
import { useResource } from '../layout/reading.ts';
import { Empty, Failed, Loading } from '../layout/states.tsx';
import { AttemptTable, UpstreamWords } from '../ledger/attempt-table.tsx';
import { LiveBadge, OutcomeBadge } from '../ledger/outcome-badge.tsx';
import { useTokenNames } from '../ledger/use-token-names.ts';
import { requestOf } from './attempts.ts';
import { EndRequest } from './end-request.tsx';
import { Failovers } from './live.tsx';
import { LoggedText } from './logged-text.tsx';
import { timelineOf } from './timeline.ts';
import { TimelinePicture } from './timeline-picture.tsx';
import { useRequest } from './use-request.ts';

/** The page of one request: its course, its attempts, and its text where it is logged. */
export function RequestPage() {
  const { id = '' } = useParams();
  const [query] = useSearchParams();
  const { running, attempts } = useRequest(id, { token: query.get('token') ?? undefined });
  const live = running.data ?? undefined;
  const ended = attempts.data ?? [];
  const known = live ?? ended[0];
  const error = attempts.error ?? running.error;
  return (
    <Page title="Request" about={id} actions={live && <EndRequest request={live} />}>
      <Anchor component={Link} to={live ? '/requests' : '/requests/history'} size="sm">
        {live ? 'Requests in flight' : 'Request history'}
      </Anchor>
      {known ? (
        <Known live={live} ended={ended} />
      ) : error ? (
        <Failed
          error={error}
          onRetry={() => {
            void attempts.refetch();
            void running.refetch();
          }}
        />
      ) : attempts.isPending || running.isPending ? (
        <Loading what="the request" />
      ) : (
        <RefusedRequest id={id} />
      )}
      {known && <LoggedText id={id} project={known.project} running={live !== undefined} />}
    </Page>
  );
}

function Known({ live, ended }: { live: RunningInfo | undefined; ended: readonly UsageEntry[] }) {
  const timeline = timelineOf(ended, live && { at: Date.parse(live.at), ms: live.ms, running: live });
  return (
    <>
      <Section title="Timeline">
        <TimelinePicture timeline={timeline} />
        {!live && (
          <Text size="xs" c="dimmed" mt="xs">
            Starts with the first attempt. Time in the queue is known only while a request runs.
          </Text>
        )}
      </Section>
      <Section title="Details">
        {live ? <LiveFacts request={live} /> : <PastFacts attempts={ended} />}
      </Section>
      {ended.length > 0 && (
        <Section title={ended.length === 1 ? '1 attempt' : `${ended.length} attempts`}>
          <AttemptTable attempts={ended} />
        </Section>
      )}
    </>
  );
}

function LiveFacts({ request }: { request: RunningInfo }) {
  const { tokenName, project, owner, client, format, endpoint, model, fallback, failovers } = request;
  return (
    <Facts
      facts={[
        [
          'State',
          <Group key="state" gap={6}>
            <LiveBadge request={request} end={null} />
            {failovers > 0 && <Failovers count={failovers} />}
          </Group>,
        ],
        ['Started', formatTime(request.at)],
        ['Age', formatMs(request.ms)],
        ['Model', fallback ? `${model}, served by fallback ${fallback}` : model || '–'],
        ['Format', `${format}, ${request.stream ? 'streamed' : 'not streamed'} (${endpoint})`],
        ['Token', tokenName],
        ['Project', project],
        ['Owner', owner ?? '–'],
        ['Client', client ?? 'Background'],
        ['Response so far', formatBytes(request.answerBytes)],
        ['Process', request.process],
      ]}
    />
  );
}

/** Names the tools that the provider ran, with the searches. */
function toolsOf({ hostedTools, usage }: UsageEntry): string {
  const searches = usage?.webSearches ? `, ${usage.webSearches.toLocaleString()} searches` : '';
  return `${hostedTools.join(', ')}${searches}`;
}

function PastFacts({ attempts }: { attempts: readonly UsageEntry[] }) {
  const tokenName = useTokenNames();
  const { last, ms, cost, unchargedCost, input, output, failovers } = requestOf(attempts);
  const { usage, tags, fallback, hostedTools, serviceTier } = last;
  const cached = usage?.cachedInput ? `, ${usage.cachedInput.toLocaleString()} cached` : '';
  const reasoning = usage?.reasoning ? `, ${usage.reasoning.toLocaleString()} reasoning` : '';
  return (
    <Facts
      facts={[
        [
          'Outcome',
          <Group key="outcome" gap={6}>
            <OutcomeBadge {...last} />
            {failovers > 0 && <Failovers count={failovers} />}
          </Group>,
        ],
        ...(last.error ? [['Error', last.error] as const] : []),
        ...(last.upstreamStatus !== null || last.upstreamMessage
          ? [['Provider response', <UpstreamWords key="answer" attempt={last} />] as const]
          : []),
        ['Started', formatTime(attempts[0]?.at ?? null)],
        ['Duration', formatMs(ms)],
        ['First token', last.stream && last.firstMs !== null ? formatMs(last.firstMs) : '–'],
        ['Model', fallback ? `${last.model}, served by fallback ${fallback}` : last.model],
        ['Format', `${last.format}, ${last.stream ? 'streamed' : 'not streamed'}, ${last.operation}`],
        ['Finish reason', last.finishReason ?? '–'],
        ['Input tokens', usage ? `${input.toLocaleString()}${cached}` : 'Unknown'],
        [
          'Output tokens',
          usage
            ? `${output.toLocaleString()}${reasoning}${usage.estimated ? ' (estimated: the provider reported none)' : ''}`
            : 'Unknown',
        ],
        ...(hostedTools.length > 0 ? [['Provider tools', toolsOf(last)] as const] : []),
        ...(serviceTier ? [['Service tier', serviceTier] as const] : []),
        ['Cost', cost === null ? 'Unknown' : formatMoney(cost)],
        ...(unchargedCost > 0
          ? [['Abandoned attempts', `${formatMoney(unchargedCost)}, not charged`] as const]
          : []),
        ['Token', tokenName(last.token)],
        ['Project', last.project],
        ['Owner', last.owner ?? '–'],
        [
          'Tags',
          Object.entries(tags)
            .map(([name, value]) => `${name}:${value}`)
            .join(', ') || '–',
        ],
      ]}
    />
  );
}

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
