export { budgetLeft, budgetPeriods, budgetSettings } from './budget.ts';
export {
  type Endpoint,
  type EndpointName,
  endpoints,
  type ResponseOf,
} from './endpoints.ts';
export { type ApiError, apiError, errorMessage } from './error.ts';
export {
  type HealthQuery,
  type HealthReport,
  healthQuery,
  healthReport,
  type ReportedKey,
  type ReportedTarget,
} from './health.ts';
export { type LoggingSettings, loggingBounds, loggingSettings, redactedKinds } from './logging.ts';
export { name, nameCharacters } from './name.ts';
export {
  type ProjectInfo,
  type ProjectSettings,
  projectInfo,
  projectList,
  projectSettings,
  type UserInfo,
  type UserSettings,
  userInfo,
  userList,
  userSettings,
} from './projects.ts';
export {
  type LoggedPage,
  type LoggedRequestInfo,
  type LoggedSummary,
  loggedPage,
  loggedRequest,
  requestsQuery,
} from './requests.ts';
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
} from './token-settings.ts';
export {
  type IssuedToken,
  issuedToken,
  type OwnToken,
  ownModel,
  ownToken,
  type TokenInfo,
  tokenInfo,
  tokenList,
} from './tokens.ts';
export {
  exportQuery,
  largestPage,
  rejectedQuery,
  totalsQuery,
  type UsageEntry,
  type UsageGroup,
  type UsagePage,
  type UsageTotals,
  usageGroups,
  usagePage,
  usageQuery,
  usageTotals,
} from './usage.ts';
