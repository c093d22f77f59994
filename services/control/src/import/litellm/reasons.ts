import { reasonsOf } from '../reasons.ts';

const defaults = 'The gateway adds no defaults to requests. Clients send this field.';
const rests =
  'The gateway decides by its own rules when a target rests (docs/routing.md, "Which targets rest").';
const bus = 'The processes of the gateway share their state over NATS, and need no Redis.';
const callbacks =
  'The gateway has no such callbacks: see its usage ledger, metrics and request logging (docs/usage.md, docs/operations.md).';
const drops = 'The gateway translates what it can. Name fields in drop that a target refuses.';
const unpriced = 'The gateway has no such price.';
const history = 'It is history. Usage and budgets of the gateway start at zero.';
const targetLimits = 'The gateway has no limits for targets: set limits of projects and tokens.';
const [params, info] = ['model_list[].litellm_params', 'model_list[].model_info'];
const [router, module, general] = ['router_settings', 'litellm_settings', 'general_settings'];

/** Returns the reason why a value is not carried over; undefined if the importer does not know the value. */
export const reasonOf = reasonsOf([
  [params, 'temperature top_p top_k max_tokens max_completion_tokens seed stop n presence_penalty', defaults],
  [params, 'frequency_penalty reasoning_effort thinking extra_body stream response_format tools', defaults],
  [params, 'tool_choice user dimensions encoding_format input_type voice', defaults],
  [params, 'api_version responses_api_version', 'The target sends no such version.'],
  [
    params,
    'max_budget budget_duration',
    'The gateway has no budgets for targets: set budgets of projects, users and tokens.',
  ],
  [params, 'tags tag_regex', 'The gateway does not route by tags. Limit the models of tokens.'],
  [params, 'max_parallel_requests itpm otpm tpd rpd daily_reset_time', targetLimits],
  [params, 'default_api_key_tpm_limit default_api_key_rpm_limit', targetLimits],
  [params, 'allowed_fails cooldown_time allowed_fails_policy', rests],
  [params, 'max_retries num_retries', 'The num_retries of the deployment count.'],
  [
    params,
    'aws_* vertex_* azure_* watsonx_* gcs_* s3_* tenant_id* client_id* client_secret* region_name*',
    'The gateway has no provider that uses it.',
  ],
  [params, 'drop_params', drops],
  [
    params,
    'merge_reasoning_content_in_choices use_chat_completions_api use_in_pass_through use_litellm_proxy configurable_clientside_auth_params cache_control_injection_points cooldown fallbacks context_window_fallbacks',
    'The gateway has no such setting of a target.',
  ],
  [params, '*cost* *price* *pricing* *multiplier*', unpriced],
  [info, '*cost* *price* *pricing* *multiplier*', unpriced],
  [info, 'supports_* mode litellm_provider', 'The gateway asks the provider, and needs no such fact.'],
  [info, 'id', 'The gateway names a target by its provider and model.'],
  [info, 'max_tokens', 'State max_input_tokens and max_output_tokens.'],
  [
    info,
    'base_model',
    "The gateway finds prices by the model's name at the provider. State a price if there is none.",
  ],
  [
    info,
    'team_id team_public_model_name',
    'The gateway has no models of one project. Limit the models of tokens.',
  ],
  [info, '*', 'It is information that the gateway does not use.'],
  [router, 'redis_* cache_* caching_groups*', bus],
  [router, 'allowed_fails* cooldown* disable_cooldowns*', rests],
  [module, 'allowed_fails* cooldown* disable_cooldowns*', rests],
  [
    router,
    'retry_policy model_group_retry_policy retry_after',
    'The gateway retries errors that may pass, as docs/routing.md says.',
  ],
  [
    router,
    'enable_pre_call_checks optional_pre_call_checks',
    'The provider refuses a prompt that is too long, and fallbacks.contextLength takes it over.',
  ],
  [router, 'enable_tag_filtering* tag_filtering_match_any*', 'The gateway does not route by tags.'],
  [
    router,
    'routing_strategy_args set_verbose debug_level provider_budget_config assistants_config',
    'The gateway has no such setting.',
  ],
  [module, 'drop_params', drops],
  [
    module,
    'request_timeout num_retries fallbacks context_window_fallbacks content_policy_fallbacks',
    'The same setting of router_settings counts.',
  ],
  [module, 'callbacks* success_callback* failure_callback* service_callback* langfuse*', callbacks],
  [module, 'turn_off_message_logging* redact_* json_logs* set_verbose* log_raw*', callbacks],
  [module, 's3_callback_params* datadog_params*', callbacks],
  ['', 'callback_settings', callbacks],
  [module, 'cache cache_params', 'The gateway does not store answers to give them again.'],
  [
    module,
    'guardrails modify_params num_retries_per_request telemetry ssl_verify force_ipv4 default_internal_user_params default_team_params default_team_settings max_budget budget_duration upperbound_key_generate_params key_generation_settings max_internal_user_budget internal_user_budget_duration mcp_aliases default_max_internal_user_budget',
    'The gateway has no such setting for all.',
  ],
  ['', 'guardrails', 'The gateway has no guardrails.'],
  [
    '',
    'mcp_servers mcp_tools vector_store_registry prompts search_tools agents agent_list assistant_settings files_settings finetune_settings',
    'The gateway has no such endpoint.',
  ],
  [
    general,
    'master_key',
    'The admin token of the gateway is GATEWAY_ADMIN_TOKEN. If clients send the master key, create a token with its SHA-256: gateway token create --name NAME --sha256 HASH.',
  ],
  [
    general,
    'database_* store_model_in_db* use_redis* proxy_batch_write* disable_spend* allow_requests_on_db* maximum_spend_logs*',
    'The database of the gateway is set by DATABASE_URL, and has its own tables. Export keys for --keys.',
  ],
  [
    general,
    'alert* slack* email*',
    'Notices of budgets go to a webhook (docs/budgets.md), and metrics to Prometheus (docs/operations.md).',
  ],
  [
    general,
    'enable_jwt_auth* litellm_jwtauth* custom_auth* enable_oauth2* oauth2* ui_* custom_sso* proxy_admin_email* allow_user_auth*',
    'Clients use tokens, and people sign in as docs/people.md says.',
  ],
  [
    general,
    'max_parallel_requests global_max_parallel_requests',
    'The gateway shares places of workers by project (docs/routing.md, "Fair share").',
  ],
  [general, 'pass_through_endpoints', 'The gateway passes on no other endpoints.'],
  [general, 'background_health_checks* health_check_*', rests],
  [
    general,
    'completion_model* infer_model_from_keys* allowed_routes* public_routes* admin_only_routes* key_management_* allowed_ips* max_request_size_mb* max_response_size_mb* forward_client_headers_to_llm_api* store_prompts_in_spend_logs* enforce_user_param* control_plane_url* use_x_forwarded_for* disable_*',
    'The gateway has no such setting, or one of its own (docs/configuration.md, docs/operations.md).',
  ],
  ['credential_list[]', 'credential_info', 'It is a note.'],
  ['environment_variables', '*', 'Set it in the environment of the gateway, if it is needed there.'],
  ['credential_list[]', 'credential_values', 'No deployment that is carried over uses it.'],
  [
    'keys[]',
    'spend total_spend model_spend last_active created_at updated_at created_by updated_by',
    history,
  ],
  ['keys[]', 'settings_updated_at budget_reset_at rotation_count last_rotation_at key_name', history],
  ['keys[]', 'soft_budget_cooldown last_refreshed_at', history],
  [
    'keys[]',
    'auto_rotate rotation_interval key_rotation_at',
    'The gateway rotates no token by itself: gateway token rotate.',
  ],
  [
    'keys[]',
    'aliases config router_settings budget_fallbacks',
    'The gateway has one catalog for all tokens.',
  ],
  [
    'keys[]',
    'model_max_budget budget_limits soft_budget tpd_limit',
    'A token has one budget for all models.',
  ],
  [
    'keys[]',
    'permissions policies allowed_cache_controls object_permission object_permission_id access_group_ids organization_id agent_id project_id allowed_vector_store_indexes',
    'The gateway has no such setting of a token.',
  ],
  ['keys[]', 'metadata', 'Tags of a token are texts by name. This is none.'],
  ...['teams[]', 'users[]', 'budgets[]'].flatMap(
    table =>
      [
        [table, 'spend model_spend created_at updated_at created_by updated_by budget_reset_at', history],
        [table, 'last_breach_check_at temp_budget_*', history],
      ] as const,
  ),
  [
    'teams[]',
    'admins members members_with_roles team_member_permissions default_team_member_models',
    'Give roles by gateway member set.',
  ],
  [
    'teams[]',
    'model_max_budget budget_limits soft_budget tpd_limit router_settings metadata organization_id object_permission_id access_group_ids policies model_id allow_team_guardrail_config',
    'The gateway has no such setting of a project.',
  ],
  [
    'users[]',
    'password password_reset_required sso_user_id user_role teams team_id organization_id',
    'Roles and sign-in are set by gateway user login and gateway member set.',
  ],
  [
    'users[]',
    'models max_parallel_requests tpm_limit rpm_limit model_max_budget metadata policies allowed_cache_controls object_permission_id user_alias',
    'The gateway has no such setting of a user: set it for tokens or projects.',
  ],
  [
    'budgets[]',
    'soft_budget model_max_budget tpd_limit allowed_models',
    'The gateway has no such setting of a budget.',
  ],
]);
