import { networkOf } from './request-headers.ts';
import type { Settings } from './settings.ts';

/** Returns a client's address as it may be logged; undefined if it may not. */
export type LoggedAddress = (address: string) => string | undefined;

/** Returns the form in which addresses are logged. */
export function loggedAddress(form: Settings<'LOG_CLIENT'>['LOG_CLIENT']): LoggedAddress {
  switch (form) {
    case 'address':
      return address => address;
    case 'network':
      return networkOf;
    case 'none':
      return () => undefined;
  }
}
