import { z } from 'zod/mini';
import { name, visibleText } from './name.ts';
import { pageOf } from './page.ts';
import { accountRole, projectRole, projectWithRole } from './role.ts';
import { futureTime } from './time.ts';

/** The least and the most characters of a password. */
export const passwordCharacters = { least: 12, most: 256 };

const password = z
  .string()
  .check(
    z.minLength(passwordCharacters.least, `must have at least ${passwordCharacters.least} characters`),
    z.maxLength(passwordCharacters.most, `must have at most ${passwordCharacters.most} characters`),
  );
const givenPassword = z
  .string()
  .check(z.maxLength(passwordCharacters.most, `must have at most ${passwordCharacters.most} characters`));

const email = visibleText.check(z.regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address'));

/** The body of a sign-in. */
export const signIn = z.strictObject({
  user: name.check(z.describe("The user's name or email address.")),
  password: givenPassword,
});
export type SignIn = z.infer<typeof signIn>;

/** The ways in which users may sign in. */
export const signInWays = z.object({ password: z.boolean(), oidc: z.boolean() });

/** 32 bytes. */
const base64url = z.string().check(z.regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url'));

/** The query of a sign-in by OpenID Connect. */
export const oidcQuery = z.strictObject({
  returnTo: z
    ._default(
      z.string().check(z.regex(/^\/console(?:[/?#][\w\-./?=&%#~]*)?$/, 'must be a path below /console')),
      '/console',
    )
    .check(z.describe('The page of the console to go to afterwards.')),
  port: z
    .optional(z.coerce.number().check(z.int(), z.gte(1_024), z.lte(65_535)))
    .check(
      z.describe(
        'The command that waits for the session on a port of 127.0.0.1; the three fields belong together.',
      ),
    ),
  challenge: z.optional(base64url).check(z.describe("SHA-256 of the command's secret, in base64url.")),
  state: z.optional(base64url).check(z.describe('Returned to the command.')),
});

/** The code that the browser has brought to the command, and the command's secret. */
export const commandCode = z.strictObject({
  code: z.string().check(z.maxLength(4_096, 'must have at most 4096 characters')),
  verifier: base64url,
});

/** The kinds of callers of the admin API. */
export const callerKinds = ['user', 'account', 'admin-token'] as const;

/** The caller of the admin API, as it sees itself. */
export const sessionInfo = z.object({
  kind: z.enum(callerKinds),
  name: z.string(),
  role: z
    .nullable(z.literal('admin'))
    .check(z.describe('Null for a caller that is not an admin of the installation.')),
  projects: z.array(projectWithRole),
  expiresAt: z
    .nullable(z.string())
    .check(
      z.describe('The time at which the session or the service account ends, RFC 3339; null for never.'),
    ),
});
export type SessionInfo = z.infer<typeof sessionInfo>;

/** The body of a change of the own password. */
export const passwordChange = z.strictObject({ current: givenPassword, password });

/** The way in which a user signs in. */
export const loginInfo = z.object({
  email: z.nullable(z.string()).check(z.describe('Null for none.')),
  role: z
    .nullable(z.literal('admin'))
    .check(z.describe('Null for a user who is not an admin of the installation.')),
  disabled: z.boolean().check(z.describe('True while the user may not sign in.')),
  password: z.boolean().check(z.describe('True if the user has a password.')),
  oidc: z.boolean().check(z.describe('True if the user signs in by OpenID Connect.')),
  lastSignInAt: z.nullable(z.string()).check(z.describe('RFC 3339; null for never.')),
});
export type LoginInfo = z.infer<typeof loginInfo>;

/** The treatment of the tokens that a user owns: they work on unless it is `disable`. */
const ownedTokens = z._default(z.enum(['keep', 'disable']), 'keep');

/** The query of a request that takes a role or a login from a user. */
export const tokensQuery = z.strictObject({ tokens: ownedTokens });

/** The body of a change of a login: absent fields stay as they are, null removes one. */
export const loginChange = z.strictObject({
  email: z.nullish(email),
  role: z.nullish(z.literal('admin', 'must be admin or null')),
  disabled: z.optional(z.boolean()),
  oidc: z
    .optional(z.null('must be null'))
    .check(z.describe('Null unlinks the identity at the OpenID provider, and signs the user out.')),
  tokens: ownedTokens,
});
export type LoginChange = z.input<typeof loginChange>;

/** The body of a password reset: the new password; one is made if it is absent. */
export const passwordReset = z.strictObject({ password: z.nullish(password) });

/** The password that was made, which no other response holds; null if it was given. */
export const passwordMade = z.object({ password: z.nullable(z.string()) });

/** A user in a project. */
export const member = z.object({ user: z.string(), role: projectRole });
export type Member = z.infer<typeof member>;
export const memberPage = pageOf(member);
export const memberSettings = z.strictObject({ role: projectRole });

/** The longest time for which a service account's token is valid, in days. */
export const accountDays = 366;
/** The most projects of a service account. */
export const mostAccountProjects = 1_000;

const expiresAt = futureTime.check(
  z.refine(
    text => !(Date.parse(text) > Date.now() + accountDays * 86_400_000),
    `must be at most ${accountDays} days from now`,
  ),
);

/** The body of a request for a new service account. */
export const newAccount = z.strictObject({
  name,
  role: accountRole,
  projects: z
    .nullish(
      z
        .array(name)
        .check(z.maxLength(mostAccountProjects, `must hold at most ${mostAccountProjects} entries`)),
    )
    .check(z.describe('The projects in which it has the role; none for an admin.')),
  expiresAt: expiresAt.check(z.describe('A time in the future, at most 366 days from now.')),
});
export type NewAccount = z.infer<typeof newAccount>;

/** The body of a request for a new token of a service account. */
export const accountRotation = z.strictObject({ expiresAt });

const accountFields = {
  id: z.string(),
  name: z.string(),
  role: accountRole,
  projects: z.array(z.string()),
  prefix: z.string().check(z.describe('The start of its token, for people to identify it.')),
  createdAt: z.string().check(z.describe('RFC 3339.')),
  expiresAt: z.string().check(z.describe('RFC 3339.')),
  lastUsedAt: z.nullable(z.string()).check(z.describe('To the minute, RFC 3339; null for never.')),
};

/** A service account without its token. */
export const accountInfo = z.object(accountFields);
export type AccountInfo = z.infer<typeof accountInfo>;
export const accountPage = pageOf(accountInfo);

/** A service account and its new token, which no other response holds. */
export const issuedAccount = z.object({ ...accountFields, token: z.string() });
export type IssuedAccount = z.infer<typeof issuedAccount>;
