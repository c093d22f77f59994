import { Button } from '@mantine/core';
import type { TokenInfo } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../api.ts';
import { useChanged } from '../layout/reading.ts';
import { AskFirst } from '../layout/record-form.tsx';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { RotateToken } from './rotate-token.tsx';

/** What was done to a token on its page. */
export interface Effect {
  kind: 'rotated' | 'disabled' | 'enabled' | 'revoked';
  /** RFC 3339. */
  at: string;
  /** The time in which the old secret works, too, after a rotation, in seconds. */
  graceSeconds?: number;
}

/** The buttons for what the user may do to a token; none for those who may only see it. */
export function TokenActions({ token, onDone }: { token: TokenInfo; onDone(effect: Effect): void }) {
  const { session } = useSession();
  const { changed, forget } = useChanged();
  const { id, name, project, owner, disabled } = token;
  const where = { project, own: owner !== null && owner === session?.name };
  const params = { id };
  const done = async (effect: Omit<Effect, 'at'>) => {
    onDone({ ...effect, at: new Date().toISOString() });
    // The page still shows a token that was revoked.
    if (effect.kind === 'revoked') forget();
    else await changed();
  };
  const enable = useMutation({
    mutationFn: () => api.call('changeToken', { params, body: { disabled: false } }),
    onSuccess: () => done({ kind: 'enabled' }),
  });
  const disable = async () => {
    await api.call('changeToken', { params, body: { disabled: true } });
    await done({ kind: 'disabled' });
  };
  const revoke = async () => {
    await api.call('revokeToken', { params });
    await done({ kind: 'revoked' });
  };
  return (
    <>
      {may(session, 'changeToken', where) && (
        <Button
          component={Link}
          to={`/tokens/${encodeURIComponent(id)}/edit`}
          variant="default"
          size="compact-sm"
        >
          Edit
        </Button>
      )}
      {may(session, 'rotateToken', where) && (
        <RotateToken token={token} onRotated={graceSeconds => done({ kind: 'rotated', graceSeconds })} />
      )}
      {may(session, 'changeToken', where) &&
        (disabled ? (
          <Button
            variant="default"
            size="compact-sm"
            loading={enable.isPending}
            onClick={() => enable.mutate()}
          >
            Enable
          </Button>
        ) : (
          <AskFirst label="Disable" question={`Disable ${name}?`} onConfirm={disable}>
            Its requests are refused, and running ones end. It can be enabled again.
          </AskFirst>
        ))}
      {may(session, 'revokeToken', where) && (
        <AskFirst label="Revoke" question={`Revoke ${name}?`} onConfirm={revoke}>
          Its requests are refused for good, and running ones end. This cannot be undone. Its usage is kept.
        </AskFirst>
      )}
    </>
  );
}
