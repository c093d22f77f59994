import type { Request, Response } from 'express';
import type { Actor } from '../audit/record.ts';
import type { Claim } from '../database/idempotency-keys.ts';
import type { Caller, Scope } from '../people/caller.ts';

/** The values that the handlers before an endpoint's own leave for it. */
interface Locals {
  requestId: string;
  /** The client's address. */
  client: string;
  caller: Caller;
  scope: Scope;
  /** The claim of the request's idempotency key; absent without one. */
  claim: Claim;
}

/** Sets values of a request for the handlers after this one. */
export function leave(response: Response, values: Partial<Locals>): void {
  Object.assign(response.locals, values);
}

export function callerOf(response: Pick<Response, 'locals'>): Caller {
  return localsOf(response).caller;
}

/** Returns what the caller may reach with this endpoint. */
export function scopeIn(response: Pick<Response, 'locals'>): Scope {
  return localsOf(response).scope;
}

/** Returns the claim of the request's idempotency key; undefined without one. */
export function claimOf(response: Pick<Response, 'locals'>): Claim | undefined {
  return localsOf(response).claim;
}

/** Returns the client's address and the request's id. */
export function originOf(response: Pick<Response, 'locals'>): { address: string; requestId: string } {
  const { client: address, requestId } = localsOf(response);
  return { address, requestId };
}

/** Returns the caller as the audit log names it. */
export function actorOf(
  response: Pick<Response, 'locals'>,
  { kind, id, name }: Pick<Caller, 'kind' | 'id' | 'name'> = callerOf(response),
): Actor {
  return { kind, id, name, ...originOf(response) };
}

/** True if a request changes something. */
export function isWrite({ method }: Pick<Request, 'method'>): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

function localsOf({ locals }: Pick<Response, 'locals'>): Locals {
  return locals as Locals;
}
