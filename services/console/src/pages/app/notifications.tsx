import { Notifications as Shown } from '@mantine/notifications';

/** The notifications that any part of the console has to show. */
export function Notifications() {
  return <Shown transitionDuration={0} />;
}
