import { Badge } from '@mantine/core';
import type { AccountInfo } from '@model-gateway/admin-api';
import { formatTime } from '../layout/format.ts';
import { endsSoon, isOver } from './expiry.ts';

/** The time at which a service account ends, with a mark if that is over or soon. */
export function Expiry({ account: { expiresAt } }: { account: Pick<AccountInfo, 'expiresAt'> }) {
  return (
    <>
      {formatTime(expiresAt)}{' '}
      {isOver(expiresAt) ? (
        <Badge color="red">expired</Badge>
      ) : (
        endsSoon(expiresAt) && <Badge color="orange">soon</Badge>
      )}
    </>
  );
}
