import type { AccountInfo } from '@model-gateway/admin-api';
import { Mark } from '../layout/mark.tsx';
import { Time } from '../layout/time.tsx';
import { endsSoon, isOver } from './expiry.ts';

/** The time at which a service account ends, with a mark if that is over or soon. */
export function Expiry({ account: { expiresAt } }: { account: Pick<AccountInfo, 'expiresAt'> }) {
  return (
    <>
      <Time at={expiresAt} />{' '}
      {isOver(expiresAt) ? (
        <Mark color="red">expired</Mark>
      ) : (
        endsSoon(expiresAt) && <Mark color="orange">soon</Mark>
      )}
    </>
  );
}
