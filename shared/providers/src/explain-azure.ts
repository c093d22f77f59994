import type { Advice, ProviderAccess, Refusal } from './profile.ts';

type Options = ProviderAccess['options'];

/** A refusal that Azure explains by its settings, and what to change. */
interface Case {
  status: readonly number[];
  text: RegExp;
  kind?: Advice['kind'];
  message(refusal: Refusal, options: Options): string;
}

/** Azure's refusals, from the troubleshooting pages of Azure OpenAI; the first one that matches is taken. */
const cases: Case[] = [
  {
    status: [404],
    text: /DeploymentNotFound/,
    kind: 'not-found',
    message: ({ model }) =>
      `Azure has no deployment '${model}': create it, or name another one as the model of the target.`,
  },
  {
    status: [400, 404],
    text: /api[ -]?version\b.{0,80}\b(?:not supported|unsupported|invalid|retired|deprecated|only)|UnsupportedApiVersion|not support the API version|enabled only for api-version/i,
    message: (_, { apiVersion }) =>
      apiVersion
        ? `Azure does not serve this request with the API version '${apiVersion}': set options.apiVersion to a newer one, or remove it.`
        : 'Azure does not serve this request without an API version: set options.apiVersion.',
  },
  {
    status: [404],
    text: /Resource not found/i,
    message: (_, { apiVersion }) =>
      apiVersion
        ? `Azure has no such path: check baseUrl and options.apiVersion ('${apiVersion}').`
        : 'Azure has no such path: check baseUrl, or set options.apiVersion for a resource without the v1 API.',
  },
  {
    status: [400, 401, 403],
    text: /tenant.{0,60}(?:not match|mismatch)|does not match resource t/i,
    message: (_, { tenantId }) =>
      `Azure refused the token of ${tenantId ? `tenant '${tenantId}'` : 'this identity'}: set options.tenantId to the tenant of the resource.`,
  },
  {
    status: [401, 403],
    text: /PermissionDenied|lacks the required data action/,
    message: (_, { clientId }) =>
      `Azure refused the identity${clientId ? ` '${clientId}'` : ''}: give it the role Cognitive Services OpenAI User on the resource.`,
  },
  {
    status: [403],
    text: /Virtual Network|Firewall|Public access is disabled/i,
    message: () =>
      "Azure's network rules refused the gateway: allow its address in the resource, or use the private endpoint.",
  },
  {
    status: [401],
    text: /^/,
    message: () =>
      'Azure refused the credential: check that apiKey is a key of the resource that baseUrl names.',
  },
];

/** Returns what to change in a provider's settings, if they are why Azure refused a request. */
export function explainAzure(refusal: Refusal, options: Options): Advice | undefined {
  const found = cases.find(({ status, text }) => status.includes(refusal.status) && text.test(refusal.text));
  return found && { kind: found.kind ?? 'upstream', message: found.message(refusal, options) };
}
