import { reasonsOf } from '../reasons.ts';

const history = 'It is history. Usage and budgets of the gateway start at zero.';
const signIn =
  'Roles and sign-in are set by gateway user login and gateway member set. Passwords have another hash.';
const own =
  'It is a setting of new-api. The settings of the gateway are in docs/configuration.md and docs/operations.md.';
const asked = 'Clients send their requests as they are.';
const none = 'The gateway has no such feature.';
const unserved = 'No channel that is carried over serves the model, or its ModelRatio is not carried over.';

/** Returns the reason why a value is not carried over; undefined if the importer does not know the value. */
export const reasonOf = reasonsOf([
  [
    'channels[]',
    'created_time test_time response_time balance balance_updated_time used_quota other_info need_reconcile',
    history,
  ],
  [
    'channels[]',
    'test_model auto_ban tag remark',
    'The gateway decides by its own rules when a target rests (docs/routing.md), and needs no such note.',
  ],
  ['channels[]', 'other', 'The target sends no API version, region or the like.'],
  [
    'channels[]',
    'param_override',
    'The gateway changes no fields of requests. It can leave out fields: drop of a model.',
  ],
  [
    'channels[]',
    'status_code_mapping',
    'The gateway passes on the errors of providers as docs/errors.md says.',
  ],
  [
    'channels[].setting',
    'proxy',
    'A provider has no proxy. Let the workers of a pool of its own run where the proxy is not needed.',
  ],
  [
    'channels[].setting',
    'system_prompt system_prompt_override force_format thinking_to_content pass_through_body_enabled force_stream',
    asked,
  ],
  ['channels[].settings', '*', asked],
  ['channels[].channel_info', '*', history],
  ['channels[]', 'id', 'A provider has the name of its channel.'],
  ['tokens[]', 'id created_time accessed_time used_quota', history],
  ['tokens[]', 'cross_group_retry billing_type', none],
  ['users[]', 'password role email github_id discord_id oidc_id wechat_id telegram_id linux_do_id', signIn],
  ['users[]', 'access_token display_name auth_version', signIn],
  ['users[]', 'id used_quota request_count created_at last_login_at aff_code aff_count aff_quota', history],
  ['users[]', 'aff_history inviter_id invite_rebate_eligible stripe_customer remark setting', history],
  ['options', 'GroupRatio', 'Only prices that the database states are multiplied.'],
  ['options', 'ModelRatio CompletionRatio CacheRatio CreateCacheRatio ImageRatio AudioRatio', unserved],
  ['options', 'AudioCompletionRatio ModelPrice', unserved],
  [
    'options',
    'GroupGroupRatio UserUsableGroups AutoGroups DefaultUseAutoGroup',
    'A token belongs to one project, whose prices do not depend on its owner.',
  ],
  [
    'options',
    'ModelRequestRateLimit*',
    'The limits of the gateway are of projects and tokens: gateway project set --limits.',
  ],
  ['options', 'RetryTimes', 'The gateway tries every target of a model before it gives up.'],
  ['options', '*', own],
  ['', 'abilities', 'The table is made from the channels.'],
  ['', 'logs quota_data perf_metrics tasks midjourneys system_tasks system_task_locks', history],
  ['', 'system_instances', history],
  [
    '',
    'redemptions top_ups checkins invite_rebates subscription_* user_subscriptions',
    'The gateway sells no quota.',
  ],
  ['', 'user_sessions auth_flows external_identity_claims passkey_credentials two_fas', signIn],
  ['', 'two_fa_backup_codes custom_oauth_providers user_oauth_bindings', signIn],
  ['', 'casbin_rule casbin_rules authz_roles', signIn],
  ['', 'models vendors prefill_groups setups', 'It is for the pages of new-api.'],
]);
