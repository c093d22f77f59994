/** Numeric settings that are not bounds, each with the reason. */
export const noBounds: Readonly<Record<string, string>> = {
  GATEWAY_FRONTS: 'the number of processes that clients reach: each has the bounds of one process',
  GATEWAY_WORKERS: 'the number of workers: each has the bounds of one process',
  GATEWAY_NATS_REPLICAS:
    'on how many NATS servers state is kept: a choice of safety, which no request can exceed',
  GATEWAY_SESSION_IDLE:
    'how long a user stays signed in without a request: a later one gets 401, as without a session',
  GATEWAY_SESSION_LIFETIME: 'how long a user stays signed in: a later request gets 401, as without a session',
};
