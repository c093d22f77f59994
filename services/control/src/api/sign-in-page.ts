import { GatewayError } from '@model-gateway/canonical';
import type { Request, RequestHandler, Response } from 'express';

/** The page of the console that shows why a sign-in failed. */
const page = '/console/sign-in';

/** Makes a handler send browsers to the sign-in page if it fails. Other clients get the error. */
export function showingProblems(
  handle: (request: Request, response: Response) => Promise<void>,
): RequestHandler<Record<string, string>, undefined> {
  return async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      const isBrowser = request.accepts(['application/json', 'text/html']) === 'text/html';
      if (!isBrowser || !(error instanceof GatewayError)) throw error;
      response.redirect(302, `${page}?${new URLSearchParams({ problem: error.details.code ?? error.kind })}`);
    }
  };
}
