import { useMemo } from 'react';
import type { CodeRequest } from '../../snippets/request.ts';
import { RequestCode } from '../../snippets/request-code.tsx';
import { Disclosure } from '../operation/disclosure.tsx';
import { FilteredEvents } from '../request/filtered-events.tsx';
import type { EventLog, LoggedEvent } from './event-log.ts';

/** The raw events of a session, and code that opens such a session. Closed until somebody opens it. */
export function SessionDetails({
  log,
  code,
}: {
  log: EventLog;
  code: { request: CodeRequest; secret: string };
}) {
  return (
    <>
      {log.events.length > 0 && (
        <Disclosure label="Events">
          <Events log={log} />
        </Disclosure>
      )}
      <Disclosure label="Use it in code">
        <RequestCode {...code} />
      </Disclosure>
    </>
  );
}

function Events({ log: { events, dropped } }: { log: EventLog }) {
  const listed = useMemo(
    () => events.map(event => ({ ms: event.ms, event: titleOf(event), data: event.data })),
    [events],
  );
  return (
    <FilteredEvents
      events={listed}
      missing={dropped > 0 ? `${dropped} older ones that were dropped` : undefined}
      text={({ event, data }) => `${event}\n${data}\n`}
    />
  );
}

function titleOf({ way, type, count }: LoggedEvent): string {
  return `${way === 'sent' ? '→' : '←'} ${type}${count > 1 ? ` × ${count}` : ''}`;
}
