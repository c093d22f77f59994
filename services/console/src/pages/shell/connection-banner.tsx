import { Loader } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef } from 'react';
import { useConnected } from './connection.ts';
import classes from './shell.module.css';

/** Says that the gateway does not answer, for as long as it does not, and that it is back. */
export function ConnectionBanner() {
  const connected = useConnected();
  const wasLost = useRef(false);
  useEffect(() => {
    if (!connected) wasLost.current = true;
    else if (wasLost.current) {
      wasLost.current = false;
      notifications.show({
        color: 'green',
        title: 'Connection restored',
        message: 'The page is being refreshed.',
        withBorder: true,
      });
    }
  }, [connected]);
  if (connected) return null;
  return (
    <div className={classes.lost} role="alert">
      <Loader size={14} color="currentColor" aria-hidden="true" />
      <span>
        <strong>The gateway does not respond.</strong> This page may be out of date. Retrying every two
        seconds; nothing that you typed is lost.
      </span>
    </div>
  );
}
