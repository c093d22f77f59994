export { apis } from '@model-gateway/canonical/wire-format';
export {
  type AuditEntry,
  type AuditPage,
  actorKinds,
  auditExportQuery,
  auditPage,
  auditQuery,
  subjectKinds,
} from './audit.ts';
export { budgetLeft, budgetPeriods, budgetSettings } from './budget.ts';
export {
  type AppliedCatalog,
  adoption,
  appliedCatalog,
  applyQuery,
  type CatalogDocument,
  type CatalogTestResult,
  catalogDocument,
  catalogTest,
  catalogTestResult,
  type EntryChange,
  entryChange,
} from './catalog.ts';
export { AdminClient, type ItemOf, type ListName, type RequestParts } from './client.ts';
export { csvLine } from './csv.ts';
export {
  type CheckStatus,
  checkStatuses,
  type Diagnostics,
  diagnostics,
  type Finding,
} from './diagnostics.ts';
export type { Endpoint } from './endpoint.ts';
export { type EndpointName, endpoints, type ResponseOf } from './endpoints.ts';
export { entriesQuery, type FileLocation } from './entry.ts';
export {
  type FieldError,
  fieldError,
  mostFieldErrors,
  type Problem,
  problem,
  problemDetail,
  problemType,
} from './error.ts';
export { accountsQuery, filterText, flag, groupsQuery, membersQuery, tokenListQuery } from './filter.ts';
export {
  type HealthQuery,
  type HealthReport,
  healthQuery,
  healthReport,
  type ReportedKey,
  type ReportedTarget,
} from './health.ts';
export { type LoggingSettings, loggingBounds, loggingSettings, redactedKinds } from './logging.ts';
export {
  type ModelInfo,
  type ModelSettings,
  modelInfo,
  modelList,
  modelSettings,
  strategies,
} from './model.ts';
export { type ModelPrice, priceList, priceQuery } from './model-prices.ts';
export { name, nameCharacters } from './name.ts';
export { namedSchemas } from './named-schemas.ts';
export { largestPage, pageOf, paging } from './page.ts';
export {
  type AccountInfo,
  accountDays,
  accountInfo,
  accountPage,
  accountRotation,
  callerKinds,
  commandCode,
  type IssuedAccount,
  issuedAccount,
  type LoginChange,
  type LoginInfo,
  loginChange,
  type Member,
  member,
  memberPage,
  memberSettings,
  mostAccountProjects,
  type NewAccount,
  newAccount,
  oidcQuery,
  passwordChange,
  passwordCharacters,
  passwordMade,
  passwordReset,
  type SessionInfo,
  type SignIn,
  sessionInfo,
  signIn,
  signInWays,
  tokensQuery,
} from './people.ts';
export { asksForRole, permissions, type RoleEndpoint, type Scope } from './permissions.ts';
export {
  type ProjectInfo,
  type ProjectSettings,
  projectInfo,
  projectPage,
  projectSettings,
  type UserInfo,
  type UserSettings,
  userInfo,
  userPage,
  userSettings,
} from './projects.ts';
export {
  type ProviderInfo,
  type ProviderSettings,
  providerInfo,
  providerList,
  providerSettings,
} from './provider.ts';
export {
  type RefusedEntry,
  type RefusedTotals,
  refusedPage,
  refusedQuery,
  refusedTotals,
  refusedTotalsQuery,
} from './refused.ts';
export {
  type LoggedPage,
  type LoggedRequestInfo,
  type LoggedSummary,
  loggedPage,
  loggedRequest,
  requestsQuery,
} from './requests.ts';
export { type AccountRole, accountRoles, type ProjectRole, projectRoles, type Role, roles } from './role.ts';
export {
  followQuery,
  missedChanges,
  type RunningChangeInfo,
  type RunningInfo,
  type RunningPage,
  runningChange,
  runningPage,
  runningQuery,
  runningStates,
} from './running.ts';
export { type SettingList, settingList } from './setting-list.ts';
export {
  endpointNames,
  longestGrace,
  mostScopes,
  mostTagBytes,
  mostTags,
  type NewToken,
  newToken,
  rotation,
  type TokenChange,
  tokenChange,
  tokenSettings,
} from './token-settings.ts';
export {
  type IssuedToken,
  issuedToken,
  type OwnToken,
  ownModel,
  ownToken,
  type TokenInfo,
  tokenInfo,
  tokenPage,
} from './tokens.ts';
export {
  exportQuery,
  rejectedQuery,
  totalsQuery,
  type UsageEntry,
  type UsageGroup,
  type UsagePage,
  type UsageTotals,
  usageGroups,
  usageOutcomes,
  usagePage,
  usageQuery,
  usageTotals,
} from './usage.ts';
export {
  type SeriesGroup,
  type SeriesStep,
  seriesGroups,
  seriesQuery,
  seriesSteps,
  type UsageSeries,
  usageSeries,
} from './usage-series.ts';
