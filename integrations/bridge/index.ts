/** Shared by all CRM recipes: HTTP, webhooks, sending events and the CRM's API. */

export { rememberFor } from './cache.ts';
export { type CrmApi, CrmError, createCrmApi, createTokenSource, ifPresent } from './crm-api.ts';
export type { MemberSelector } from './foreword.ts';
export { createLog } from './log.ts';
export {
  fromUnixTime,
  isListed,
  isObject,
  type JsonObject,
  listAt,
  lookUp,
  parseJson,
  requiredText,
  textAt,
  toInstant,
  valueAt,
} from './payload.ts';
export {
  type Change,
  type CrmRequest,
  type Moment,
  type Recipe,
  type RecordReference,
  RequestError,
} from './recipe.ts';
export { runRecipe } from './run.ts';
export { hmacSha256, isSameSecret } from './secrets.ts';
export { readBody, runService, serve } from './service.ts';
export { createVariables, SettingsError, type Variables } from './settings.ts';
