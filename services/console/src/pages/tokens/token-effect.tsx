import { Alert, Anchor } from '@mantine/core';
import type { TokenInfo } from '@model-gateway/admin-api';
import { Link } from 'react-router';
import { formatTime } from '../layout/format.ts';
import type { Effect } from './token-actions.tsx';

const titles: Record<Effect['kind'], string> = {
  rotated: 'Secret rotated',
  disabled: 'Token disabled',
  enabled: 'Token enabled',
  revoked: 'Token revoked',
};

/** The effect of what was just done to a token. The gateway answers once the fleet knows it. */
export function EffectNote({ effect, token }: { effect: Effect; token: TokenInfo }) {
  const { kind } = effect;
  const bad = kind === 'revoked' || kind === 'disabled';
  return (
    <Alert role="status" color={bad ? 'red' : 'green'} title={titles[kind]} maw={900}>
      {sentence(effect, token)}{' '}
      {kind === 'revoked' && (
        <Anchor component={Link} to="/tokens" inherit c="inherit">
          Go to all tokens.
        </Anchor>
      )}
    </Alert>
  );
}

function sentence({ kind, at, graceSeconds = 0 }: Effect, { expiresAt }: TokenInfo): string {
  const since = formatTime(at);
  switch (kind) {
    case 'revoked':
      return `Since ${since} every ingress refuses it, and its running requests end. This page shows it as it was.`;
    case 'disabled':
      return `Since ${since} every ingress refuses it, and its running requests end. Enable it to use it again.`;
    case 'enabled':
      return `Since ${since} every ingress accepts it${expiresAt ? ' until it expires' : ''}.`;
    case 'rotated': {
      if (graceSeconds === 0) return `Since ${since} every ingress refuses the old secret.`;
      const until = formatTime(new Date(Date.parse(at) + graceSeconds * 1_000).toISOString());
      return `Both secrets work until ${until}; then the old one is refused.`;
    }
  }
}
