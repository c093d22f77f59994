import { Alert, Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatTime } from '../layout/format.ts';
import type { Problem } from '../problem.ts';
import type { ShownModel, ShownToken } from './check-token.ts';
import { LeftBars } from './left-bars.tsx';
import { modelText } from './model-text.ts';
import { useToken } from './token-context.tsx';
import classes from './token-facts.module.css';

/** The panel of the token: what it may use and what is left of it, or what to do if the gateway refuses it. */
export function TokenFacts() {
  const { check } = useToken();
  return (
    <div role="status">
      {check?.state === 'known' && <Known token={check.token} />}
      {check?.state === 'refused' && (
        <Text size="xs" c="dimmed">
          {adviceFor(check.problem)}
        </Text>
      )}
      {check?.state === 'accepted' && (
        <Alert color="yellow" title="This token works">
          The admin service is unavailable, so the token's name and expiry are unknown. You can still chat.
        </Alert>
      )}
    </div>
  );
}

function Known({ token }: { token: ShownToken }) {
  const { name, project, owner, expiresAt, models, endpoints, allowedAddresses } = token;
  const isLeftKnown = token.limitsLeft !== undefined || token.budgetsLeft !== undefined;
  return (
    <>
      <dl className={classes.facts}>
        <Fact term="Token">
          <span>{name}</span>{' '}
          <Badge color="teal.9" tt="none" className={classes.valid}>
            Valid
          </Badge>
        </Fact>
        <Fact term="Project">{project}</Fact>
        {owner && <Fact term="Owner">{owner}</Fact>}
        <Fact term="Expires">{expiresAt ? formatTime(expiresAt) : 'Never'}</Fact>
        {endpoints && <Fact term="Endpoints">{endpoints.join(', ')}</Fact>}
        {allowedAddresses && <Fact term="IP addresses">{allowedAddresses.join(', ')}</Fact>}
        <Models models={models} />
      </dl>
      {isLeftKnown && (
        <section className={classes.left} aria-label="Remaining limits">
          <LeftBars {...token} />
        </section>
      )}
    </>
  );
}

/** The most models that are listed before the list is folded. */
const fewModels = 8;

function Models({ models }: { models: ShownModel[] }) {
  if (models.length === 0) return <Fact term="Models">None: no model of the catalog is allowed</Fact>;
  const few = models.slice(0, fewModels);
  const others = models.slice(fewModels);
  return (
    <Fact term="Models">
      <Names models={few} />
      {others.length > 0 && (
        <details className={classes.more}>
          <summary>{others.length} more</summary>
          <Names models={others} />
        </details>
      )}
    </Fact>
  );
}

function Names({ models }: { models: ShownModel[] }) {
  return models.map(model => (
    <code key={model.name} title={`${model.operations.join(', ')}; ${modelText(model)}`}>
      {model.name}
    </code>
  ));
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Returns what to do about a token that the gateway refuses. The gateway has one code for all but the network. */
export function adviceFor({ message, facts }: Problem): string {
  if (facts.code === 'address_not_allowed') {
    return 'Use it from one of its networks, or ask who manages the project to allow yours.';
  }
  if (/expired/.test(message)) return 'Ask who manages the project for a new token, or for a later expiry.';
  if (/disabled/.test(message)) return 'Ask who manages the project to enable it.';
  if (!facts.code) return 'Copy it again, without anything before or after it.';
  return 'It is mistyped, or it was revoked or has a new secret. Copy it again, or ask who manages the project for a new one.';
}
