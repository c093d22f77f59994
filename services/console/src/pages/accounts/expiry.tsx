import { type AccountInfo, accountDays } from '@model-gateway/admin-api';
import { Mark } from '../layout/mark.tsx';
import type { SettingProps } from '../layout/setting-props.ts';
import { Time } from '../layout/time.tsx';
import { ExpiryField } from '../settings-form/expiry-field.tsx';

/** The time before an expiry in which it is soon, in milliseconds. */
const soonMs = 14 * 86_400_000;

/** The time at which a service account ends, with a mark if that is over or soon. */
export function Expiry({ account: { expiresAt } }: { account: Pick<AccountInfo, 'expiresAt'> }) {
  const left = Date.parse(expiresAt) - Date.now();
  return (
    <>
      <Time at={expiresAt} /> {left <= 0 && <Mark color="red">expired</Mark>}
      {left > 0 && left <= soonMs && <Mark color="orange">expires soon</Mark>}
    </>
  );
}

/** A field for the end of a service account's token. */
export function AccountExpiryField(props: SettingProps<string | null>) {
  return (
    <ExpiryField
      {...props}
      required
      description={`At most ${accountDays} days from now. Rotate the token before it expires.`}
    />
  );
}
