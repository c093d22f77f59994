import { Alert, Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OwnToken } from './check-token.ts';
import { useToken } from './token-context.tsx';
import classes from './token-facts.module.css';

/** What is known of the token, for as long as it is valid. */
export function TokenFacts() {
  const { check } = useToken();
  return (
    <div role="status">
      {check?.state === 'known' && <Known token={check.token} />}
      {check?.state === 'accepted' && (
        <Alert color="yellow" title="This token works">
          The admin service is away, so its name and its end are not known. You can chat all the same.
        </Alert>
      )}
    </div>
  );
}

function Known({ token: { name, project, expiresAt, models } }: { token: OwnToken }) {
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
      <Fact term="May use">
        {models.length === 0 && 'no model: the catalog is empty'}
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
