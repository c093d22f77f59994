import type { z } from 'zod/mini';
import { auditEntry, auditPage } from './audit.ts';
import { budgetLeft, budgetSettings } from './budget.ts';
import {
  adopted,
  adoption,
  appliedCatalog,
  catalogDocument,
  catalogTest,
  catalogTestResult,
  entryChange,
} from './catalog.ts';
import { diagnostics, finding } from './diagnostics.ts';
import { place } from './entry.ts';
import { fieldError, problem } from './error.ts';
import { healthReport, reportedKey, reportedTarget } from './health.ts';
import { loggingSettings } from './logging.ts';
import { modelInfo, modelList, modelSettings } from './model.ts';
import { priceList } from './model-prices.ts';
import {
  accountInfo,
  accountPage,
  accountRotation,
  commandCode,
  issuedAccount,
  loginChange,
  loginInfo,
  member,
  memberPage,
  memberSettings,
  newAccount,
  passwordChange,
  passwordMade,
  passwordReset,
  sessionInfo,
  signIn,
  signInWays,
} from './people.ts';
import { price, priceSettings } from './price.ts';
import { projectInfo, projectPage, projectSettings, userInfo, userPage, userSettings } from './projects.ts';
import { providerInfo, providerList, providerSettings } from './provider.ts';
import { refusedEntry, refusedPage, refusedTotals } from './refused.ts';
import { loggedPage, loggedRequest, loggedSummary } from './requests.ts';
import { projectWithRole } from './role.ts';
import { runningPage, runningRequest } from './running.ts';
import { settingList } from './setting-list.ts';
import { limitSettings, newToken, rotation, tokenChange } from './token-settings.ts';
import { issuedToken, limitLeft, ownModel, ownToken, tokenInfo, tokenPage } from './tokens.ts';
import { rejectedPage, usageEntry, usagePage, usageTotals } from './usage.ts';
import { usageSeries } from './usage-series.ts';

/** The schemas that have names in the OpenAPI document: the bodies of all requests and responses, and their larger parts. */
export const namedSchemas = {
  Token: tokenInfo,
  TokenPage: tokenPage,
  NewToken: newToken,
  TokenChange: tokenChange,
  TokenRotation: rotation,
  IssuedToken: issuedToken,
  OwnToken: ownToken,
  OwnModel: ownModel,
  Limits: limitSettings,
  LimitLeft: limitLeft,
  Budget: budgetSettings,
  BudgetLeft: budgetLeft,
  Price: price,
  PriceSettings: priceSettings,
  Project: projectInfo,
  ProjectPage: projectPage,
  ProjectSettings: projectSettings,
  RequestLogging: loggingSettings,
  User: userInfo,
  UserPage: userPage,
  UserSettings: userSettings,
  Login: loginInfo,
  LoginChange: loginChange,
  PasswordReset: passwordReset,
  PasswordMade: passwordMade,
  PasswordChange: passwordChange,
  Member: member,
  MemberPage: memberPage,
  MemberSettings: memberSettings,
  ProjectRole: projectWithRole,
  SignIn: signIn,
  SignInWays: signInWays,
  Session: sessionInfo,
  ServiceAccount: accountInfo,
  ServiceAccountPage: accountPage,
  NewServiceAccount: newAccount,
  ServiceAccountRotation: accountRotation,
  IssuedServiceAccount: issuedAccount,
  Provider: providerInfo,
  ProviderPage: providerList,
  ProviderSettings: providerSettings,
  CatalogModel: modelInfo,
  CatalogModelPage: modelList,
  CatalogModelSettings: modelSettings,
  CatalogTest: catalogTest,
  CatalogTestResult: catalogTestResult,
  CatalogDocument: catalogDocument,
  AppliedCatalog: appliedCatalog,
  EntryChange: entryChange,
  Adoption: adoption,
  AdoptedEntry: adopted,
  Place: place,
  ModelPrices: priceList,
  SettingList: settingList,
  UsageEntry: usageEntry,
  UsagePage: usagePage,
  UsageTotals: usageTotals,
  UsageSeries: usageSeries,
  RejectedPage: rejectedPage,
  RefusedEntry: refusedEntry,
  RefusedPage: refusedPage,
  RefusedTotals: refusedTotals,
  LoggedRequest: loggedRequest,
  LoggedRequestSummary: loggedSummary,
  LoggedRequestPage: loggedPage,
  AuditEntry: auditEntry,
  AuditPage: auditPage,
  RunningRequest: runningRequest,
  RunningRequestPage: runningPage,
  CommandCode: commandCode,
  Diagnostics: diagnostics,
  Finding: finding,
  HealthReport: healthReport,
  TargetHealth: reportedTarget,
  KeyHealth: reportedKey,
  Problem: problem,
  FieldError: fieldError,
} as const satisfies Record<string, z.ZodMiniType>;
