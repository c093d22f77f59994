import type { Session } from '@model-gateway/bus';

/** The gateway's end of a client's session: an upstream's session over the bus, or one that the gateway holds itself. */
export type SessionPeer = Pick<Session, 'listen' | 'send' | 'drained' | 'consumed' | 'close' | 'cancel'>;
