import type { z } from 'zod/mini';

/** A method and path of the API, with the shapes of its requests and of its response. */
export interface Endpoint {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Parameters are in braces: `/api/v1/tokens/{id}`. */
  path: string;
  summary: string;
  /**
   * Who may call it: `admin` for the roles in the table of permissions, `self` for everyone with a credential of the admin API,
   * `client` for a client with its own token, `none` for everyone.
   */
  bearer: 'admin' | 'self' | 'client' | 'none';
  query?: z.ZodMiniObject;
  body?: z.ZodMiniType;
  /** The most bytes of a body; 64 KiB if absent. */
  largestBody?: number;
  /** The status of success. */
  status: number;
  /** The shape of a response in JSON. */
  response?: z.ZodMiniType;
  /** The media types of a response that is not JSON. */
  mediaTypes?: readonly string[];
  /**
   * True for an endpoint of one resource with an ETag: a GET takes `If-None-Match`, and every other method takes `If-Match` and
   * `If-None-Match`. The response of a GET, PUT or PATCH has the header `ETag`.
   */
  conditional?: true;
  /** True if the resource is created, so that only the response has an ETag. */
  tagged?: true;
  /** True if it takes an `Idempotency-Key`. */
  idempotencyKey?: true;
}
