import { cancelledSubject } from './subjects.ts';

/** The stream of usage records. */
export const usageStream = 'USAGE';
/** The ledger's durable consumer of the stream. */
export const ledgerConsumer = 'ledger';

/** The stream of logged requests, and its durable consumer. */
export const loggedStream = 'LOGGED';
export const loggedConsumer = 'log';

/** The name of a stream, and the prefix of its subjects. */
export interface StreamNames {
  stream: string;
  subjects: string;
}

/** The names of a stream of jobs. */
export interface QueueNames extends StreamNames {
  /** Its single consumer. */
  consumer: string;
  /** The subject on which the key of each cancelled job is published. */
  cancelled: string;
}

/** The streams of stored responses, their events and client secrets. */
export const storedStreams = {
  responses: { stream: 'KEPT', subjects: 'gateway.v1.kept' },
  events: { stream: 'EVENTS', subjects: 'gateway.v1.events' },
  secrets: { stream: 'SECRETS', subjects: 'gateway.v1.secret' },
} as const satisfies Record<string, StreamNames>;
export type StoredKind = keyof typeof storedStreams;

/** The stream of background responses. */
export const jobStream = {
  stream: 'WORK',
  subjects: 'gateway.v1.work.responses',
  consumer: 'runners',
  cancelled: cancelledSubject,
} as const satisfies QueueNames;

/** The longest that events of a response are stored, in milliseconds: they are many times as large as the response. */
export const eventsMs = 3_600_000;
/** The longest lifetime of a client secret, in milliseconds. */
export const secretsMs = 7_200_000;

/** The stream that counts each owner's bytes in another stream. */
export const countersOf = ({ stream, subjects }: StreamNames): StreamNames => ({
  stream: `${stream}_BYTES`,
  subjects: `${subjects}-bytes`,
});
