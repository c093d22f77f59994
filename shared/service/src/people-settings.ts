import { homedir } from 'node:os';
import { join } from 'node:path';
import { duration } from '@model-gateway/canonical';
import { z } from 'zod';

const positive = z.coerce.number().int().positive();

/** The settings of those who use the admin API. */
export const peopleSettings = {
  GATEWAY_ADMIN_TOKEN: z.string().optional().meta({
    description: 'Bearer token of the admin API',
    defaultInWords: 'the file `admin-token` in `GATEWAY_DATA`, made when first needed',
  }),
  GATEWAY_ADMIN_PASSWORD: z.string().optional().meta({
    description: 'Password of the user `admin`, who is made at the first start; 12 characters or more',
    defaultInWords: 'the file `admin-password` in `GATEWAY_DATA`, made at the first start',
  }),
  GATEWAY_API_REFERENCES: z
    .string()
    .transform(text => text.split(',').map(name => name.trim()))
    .pipe(z.array(z.string().refine(name => name.split('*').length <= 2, 'must hold at most one * each')))
    .transform(names => names.filter(Boolean))
    .prefault('')
    .describe(
      'Variables and files of workers that providers of the API may name in `apiKey`, such as `OPENAI_API_KEY,/run/secrets/*`',
    ),
  GATEWAY_TOKENS_OF_PROJECT: positive
    .default(1_000)
    .describe(
      'The most tokens of a project that are not revoked, and without an owner of a service account; only admins may create more',
    ),
  GATEWAY_TOKENS_OF_OWNER: positive
    .default(100)
    .describe('The most tokens of an owner that are not revoked; only admins may create more'),
  GATEWAY_SCOPE_BYTES: positive
    .default(8_192)
    .describe(
      "The most bytes of a token's models, endpoints, addresses, limits, budget and tags as JSON; only admins may set more",
    ),
  GATEWAY_SESSION_IDLE: duration
    .prefault('8h')
    .describe('The time without a request after which a session of the admin API ends'),
  GATEWAY_SESSION_LIFETIME: duration
    .prefault('7d')
    .describe('The time after which a session of the admin API ends in any case'),
  GATEWAY_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description: 'URL of the gateway in browsers, if a proxy changes the header `Host`',
      defaultInWords: 'that of each request',
    }),
  GATEWAY_OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'OpenID provider by which users may sign in; it needs `GATEWAY_OIDC_CLIENT_ID` and `GATEWAY_PUBLIC_URL`',
    ),
  GATEWAY_OIDC_CLIENT_ID: z.string().optional().describe('Id of the gateway at the OpenID provider'),
  GATEWAY_OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .describe('Secret of the gateway at the OpenID provider; none for a public client'),
  GATEWAY_OIDC_SCOPES: z
    .string()
    .default('openid profile email')
    .describe('Scopes that the gateway asks the OpenID provider for'),
  GATEWAY_OIDC_GROUPS: z
    .string()
    .default('groups')
    .describe('Claim of the OpenID provider with the groups of a user'),
  GATEWAY_OIDC_ROLES: z
    .string()
    .transform(parseJson)
    .pipe(z.record(z.string(), z.union([z.string(), z.array(z.string())])))
    .optional()
    .describe(
      'Roles of groups, as JSON: `{"ops": "admin", "lab-leads": ["lab:manager", "shared:viewer"]}`; roles then follow the groups at each sign-in',
    ),
  GATEWAY_OIDC_NEW_USERS: z
    .enum(['refuse', 'with-role', 'make'])
    .default('refuse')
    .describe(
      'Users whom the gateway does not know yet: they are refused, or made at the first sign-in, all or only `with-role` of a group',
    ),
  GATEWAY_LOGIN_FILE: z
    .string()
    .default(() => join(homedir(), '.config/model-gateway/logins.json'))
    .meta({
      description: 'File in which the command `gateway` keeps sessions',
      defaultInWords: '`.config/model-gateway/logins.json` in the home folder',
    }),
};

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
}
