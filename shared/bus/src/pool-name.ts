/** The names that a pool of workers may have: one token of a NATS subject. */
export const poolName = /^[A-Za-z0-9_-]{1,64}$/;
