import type { BilledExtras, Operation } from './envelope.ts';
import type { Usage } from './usage.ts';

/**
 * The states of a request in flight. `waiting`: its body is read, its checks run, or it waits before another attempt; `queued`: an
 * attempt waits for a worker; `running`: a worker asks the upstream; `streaming`: a part of the answer has arrived, or a
 * realtime session is open.
 */
export const runningStates = ['waiting', 'queued', 'running', 'streaming'] as const;
export type RunningState = (typeof runningStates)[number];

/** A request in flight, or an open realtime session, as the process that answers it sees it. */
export interface RunningRequest {
  requestId: string;
  /** Start of the request, in milliseconds since 1970. */
  at: number;
  /** Its age, in milliseconds. */
  ms: number;
  state: RunningState;
  /** The path of the endpoint. */
  endpoint: string;
  /** The client's format. */
  format: string;
  /** Absent until it is read. */
  operation?: Operation;
  /** The model name that the client sent; empty until it is read. */
  model: string;
  stream: boolean;
  tokenId: string;
  /** Name of the token. */
  tokenName: string;
  project: string;
  /** The user who owns the token. */
  owner?: string;
  /** The client's address; absent for background work. */
  client?: string;
  /** The target of the last attempt. */
  provider?: string;
  /** The model's name at the provider. */
  upstreamModel?: string;
  /** The model that took the request over from `model`. */
  fallback?: string;
  /** Attempts that were begun. */
  attempts: number;
  /** Attempts that failed and were followed by another. */
  failovers: number;
  /** Time until the answer began, in milliseconds; absent before. */
  firstMs?: number;
  /** Size of the answer so far on the way from the worker, in bytes. */
  answerBytes: number;
  /** The process that answers it. */
  process: string;
}

/** The end of a request. */
export interface RequestEnd extends BilledExtras {
  /** The HTTP status; 499 if the client left or the request was ended. */
  status: number;
  /** Kind of the failure. */
  error?: string;
  /** The administrator who ended it. */
  endedBy?: string;
  /** Null if it is not known. */
  usage: Usage | null;
}

/** A change of a request in flight. `ended` is set once it has ended. */
export interface RunningChange {
  type: 'started' | 'changed' | 'ended';
  request: RunningRequest;
  end?: RequestEnd;
}

/** A place in the order of requests in flight, which is that of their start. */
export type RunningPlace = Pick<RunningRequest, 'at' | 'requestId'>;

/** The requests of a query. An absent field names all. */
export interface RunningFilter {
  token?: string | undefined;
  project?: string | undefined;
  owner?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  format?: string | undefined;
  state?: RunningState | undefined;
  /** The requests that may be shown: those of some projects, and those of an owner in others. */
  within?: { projects: readonly string[]; own: readonly string[]; owner: string } | undefined;
}

/** A question to all processes that answer requests. */
export type RunningQuestion =
  | { type: 'list'; filter: RunningFilter; after?: RunningPlace | undefined; limit: number }
  | { type: 'find'; requestId: string }
  | { type: 'end'; requestId: string; by: string };

/** The number of requests in flight of a process that a question named, with those that its parts hold. */
export interface RunningCount {
  total: number;
}

/** The fields of a request that a filter names. */
type Named = Pick<
  RunningRequest,
  'tokenId' | 'project' | 'owner' | 'model' | 'provider' | 'format' | 'state'
>;

/** True if a filter names a request. */
export function isNamedBy(request: Named, { within, token, ...wanted }: RunningFilter): boolean {
  if (token !== undefined && token !== request.tokenId) return false;
  const { project, owner } = request;
  if (within && !within.projects.includes(project)) {
    if (!within.own.includes(project) || owner !== within.owner) return false;
  }
  return names.every(name => wanted[name] === undefined || wanted[name] === request[name]);
}

const names = ['project', 'owner', 'model', 'provider', 'format', 'state'] as const;

/** Compares two requests by their place in the order of starts. */
export function comparePlaces(one: RunningPlace, other: RunningPlace): number {
  return (
    one.at - other.at || (one.requestId < other.requestId ? -1 : Number(one.requestId > other.requestId))
  );
}
