import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import type { TokenInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { Page, Section } from '../layout/page.tsx';
import { useResource } from '../layout/reading.ts';
import { Empty, Failed, Loading } from '../layout/states.tsx';
import { RefusedSection } from '../ledger/refused-section.tsx';
import { toProblem } from '../problem.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { LimitsTable } from '../settings-form/limits-table.tsx';
import { BudgetBar } from '../spending/budget-bar.tsx';
import { useSpent } from '../spending/use-spent.ts';
import { useToken } from '../token/token-context.tsx';
import { type Effect, TokenActions } from './token-actions.tsx';
import { EffectNote } from './token-effect.tsx';
import { Tags } from './token-list.tsx';
import { StateBadge, stateOf } from './token-state.tsx';
import { TokenTrial } from './token-trial.tsx';

/** The page of one token. After it is revoked, the page still shows it as it was, and that it is refused. */
export function TokenPage() {
  const { id = '' } = useParams();
  const { value, error, reload } = useResource('showToken', { params: { id } });
  if (value) return <OneToken key={id} token={value} />;
  if (!error) return <Loading what="the token" />;
  if (toProblem(error).facts.status !== 404) return <Failed error={error} onRetry={reload} />;
  return (
    <Page title="Token not found">
      <Empty title={`No token has the ID ${id}`}>
        It was revoked, or you may not see it. The{' '}
        <Anchor component={Link} to={auditOf(id)} inherit>
          audit log
        </Anchor>{' '}
        says who revoked it, and when. Or go to{' '}
        <Anchor component={Link} to="/tokens" inherit>
          all tokens
        </Anchor>
        .
      </Empty>
    </Page>
  );
}

function OneToken({ token }: { token: TokenInfo }) {
  const [effect, setEffect] = useState<Effect>();
  const { secret, check } = useToken();
  const { session } = useSession();
  // Only the secret in this tab tells to which token it belongs; it is remembered, because a revoked token is no longer recognised.
  const isKnown = check?.state === 'known' && check.token.id === token.id;
  const [known, setKnown] = useState('');
  if (isKnown && known !== secret) setKnown(secret);
  const revoked = effect?.kind === 'revoked';
  return (
    <Page
      title={token.name}
      about={<StateBadge state={revoked ? 'revoked' : stateOf(token, Date.now())} />}
      actions={!revoked && <TokenActions token={token} onDone={setEffect} />}
    >
      {effect && <EffectNote effect={effect} token={token} />}
      <Stack gap="md" maw={900}>
        <About token={token} />
        <Section title="Limits">
          <LimitsTable limits={token.limits} />
        </Section>
        <Section title="Budget">
          <Budget token={token} />
        </Section>
        {may(session, 'totalRefused', { project: token.project }) && (
          <RefusedSection filter={{ token: token.id }} />
        )}
        <Section title="Test">
          <TokenTrial known={known} effect={effect ? `${effect.kind} ${effect.at}` : ''} />
        </Section>
      </Stack>
    </Page>
  );
}

function About({ token }: { token: TokenInfo }) {
  const { session } = useSession();
  const { id, project, owner, prefix, createdAt, lastUsedAt, expiresAt, tags } = token;
  const links = [
    {
      label: 'Usage',
      to: `/usage?${new URLSearchParams({ token: id })}`,
      shown: may(session, 'totalUsage', { project }),
    },
    {
      label: 'Requests',
      to: `/requests/history?${new URLSearchParams({ token: id })}`,
      shown: may(session, 'listUsage', { project }),
    },
    { label: 'Audit log', to: auditOf(id), shown: may(session, 'listAudit', { project }) },
  ];
  return (
    <Section
      title="About"
      actions={links
        .filter(({ shown }) => shown)
        .map(({ label, to }) => (
          <Button key={label} component={Link} to={to} size="compact-xs" variant="subtle">
            {label}
          </Button>
        ))}
    >
      <Facts
        facts={[
          [
            'Project',
            <Anchor key="project" component={Link} to={`/projects/${encodeURIComponent(project)}`} inherit>
              {project}
            </Anchor>,
          ],
          ['Owner', owner ?? 'No owner'],
          ['Secret', <Code key="secret">{prefix}…</Code>],
          ['ID', <Code key="id">{id}</Code>],
          ['Created', formatTime(createdAt)],
          ['Last used', lastUsedAt ? formatTime(lastUsedAt) : 'Never'],
          ['Expires', expiresAt ? formatTime(expiresAt) : 'Never'],
          ['Models', <Scope key="models" list={token.models} every="All models" />],
          ['Endpoints', <Scope key="endpoints" list={token.endpoints} every="All endpoints" />],
          ['IP addresses', <Scope key="addresses" list={token.allowedAddresses} every="Any address" />],
          ['Tags', <Tags key="tags" tags={tags} />],
        ]}
      />
    </Section>
  );
}

function Scope({ list, every }: { list: readonly string[] | null; every: string }) {
  if (list === null) return every;
  if (list.length === 0) return 'None: every request is refused.';
  return (
    <Group gap={4}>
      {list.map(entry => (
        <Code key={entry}>{entry}</Code>
      ))}
    </Group>
  );
}

function Budget({ token: { id, name, budget } }: { token: TokenInfo }) {
  const spent = useSpent('token', [budget], id);
  if (!budget) {
    return (
      <Text size="sm" c="dimmed">
        No budget. Those of its project and its owner apply.
      </Text>
    );
  }
  return <BudgetBar label={name} budget={budget} spent={spent(id, budget)} resets />;
}

function auditOf(id: string): string {
  return `/audit?${new URLSearchParams({ subject: id })}`;
}
