import { z } from 'zod/mini';
import { budgetSettings } from './budget.ts';
import { owner } from './entry.ts';
import { loggingSettings } from './logging.ts';
import { entryName, modelPattern } from './name.ts';
import { pageOf } from './page.ts';
import { loginInfo } from './people.ts';
import { priceSettings } from './price.ts';
import { projectWithRole } from './role.ts';
import { shown, stated } from './stated.ts';
import { limitSettings } from './token-settings.ts';

const pattern = modelPattern.check(
  z.refine(text => text.trim() === text, 'must not start or end with a space'),
);

/** The settings of a project. Null and an absent field set nothing. */
export const projectSettings = z.strictObject({
  limits: z.nullish(limitSettings).check(z.describe('Limits of all its tokens together.')),
  budget: z.nullish(budgetSettings).check(z.describe('The budget of all its tokens together.')),
  allowUnpriced: z
    .nullish(z.boolean())
    .check(
      z.describe(
        'True if its tokens may use models without a price, though they have a budget; false if absent.',
      ),
    ),
  prices: z
    .nullish(z.record(pattern, priceSettings))
    .check(
      z.describe('Prices of models by name or pattern, which take the place of the others for this project.'),
    ),
  weight: z
    .nullish(
      z.number().check(z.minimum(0.01, 'must be at least 0.01'), z.maximum(1_000, 'must be at most 1000')),
    )
    .check(z.describe('Share of busy workers, relative to other projects, from 0.01 to 1000; 1 if absent.')),
  storeResponses: z
    .nullish(z.boolean())
    .check(z.describe('False if its responses are not stored; those of other projects are. True if absent.')),
  storeErrors: z
    .nullish(z.boolean())
    .check(
      z.describe(
        'False if the messages of its failed attempts are not stored in the ledger; true if absent.',
      ),
    ),
  logging: z
    .nullish(loggingSettings)
    .check(z.describe('Request logging; if absent, no text of a request or an answer is stored.')),
});
export type ProjectSettings = z.infer<typeof projectSettings>;

/** The settings of a user. Null and an absent field set nothing. */
export const userSettings = z.strictObject({
  budget: z.nullish(budgetSettings).check(z.describe('The budget of all tokens of the user together.')),
});
export type UserSettings = z.infer<typeof userSettings>;

/** A project of gateway.yaml. */
export const statedProject = z.strictObject({ name: entryName, ...stated(projectSettings.shape) });

/** A user of gateway.yaml. */
export const statedUser = z.strictObject({ name: entryName, ...stated(userSettings.shape) });

const identity = {
  id: z.string(),
  name: z.string(),
  createdAt: z.string().check(z.describe('RFC 3339.')),
  ...owner,
};

/** A project with the settings in force. A setting is null if it is not set. */
export const projectInfo = z.object({
  ...identity,
  ...shown(projectSettings.shape),
});
export type ProjectInfo = z.infer<typeof projectInfo>;

export const projectPage = pageOf(projectInfo);

/** A user with the settings in force. A setting is null if it is not set. */
export const userInfo = z.object({
  ...identity,
  ...shown(userSettings.shape),
  login: z.nullable(loginInfo).check(z.describe('Null for a user who cannot sign in.')),
  projects: z.array(projectWithRole).check(z.describe('The projects in which the user has a role.')),
});
export type UserInfo = z.infer<typeof userInfo>;

export const userPage = pageOf(userInfo);
