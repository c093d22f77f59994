import { Alert, Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ShownToken } from './check-token.ts';
import { useToken } from './token-context.tsx';
import classes from './token-facts.module.css';

/** The facts about a valid token. */
export function TokenFacts() {
  const { check } = useToken();
  return (
    <div role="status">
      {check?.state === 'known' && <Known token={check.token} />}
      {check?.state === 'accepted' && (
        <Alert color="yellow" title="This token works">
          The admin service is unavailable, so the token's name and expiry are unknown. You can still chat.
        </Alert>
      )}
    </div>
  );
}

function Known({ token: { name, project, expiresAt, models } }: { token: ShownToken }) {
  return (
    <dl className={classes.facts}>
      <Fact term="Token">
        <span>{name}</span>{' '}
        <Badge color="teal.9" tt="none" className={classes.valid}>
          Valid
        </Badge>
      </Fact>
      <Fact term="Project">{project}</Fact>
      <Fact term="Expires">{expiresAt ? new Date(expiresAt).toLocaleString() : 'Never'}</Fact>
      <Fact term="Models">
        {models.length === 0 && 'None: the catalog is empty'}
        {models.map(model => (
          <code
            key={model.name}
            title={`${model.operations.join(', ')}; upstream: ${model.formats.join(', ')}`}
          >
            {model.name}
          </code>
        ))}
      </Fact>
    </dl>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
