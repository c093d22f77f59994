import type { CausedAlert } from './promtool.ts';

/** For each alert, series that cause it. */
export const causes: Record<string, CausedAlert> = {
  GatewayProcessDown: {
    labels: { component: 'worker', instance: 'a' },
    series: { 'up{component="worker", instance="a"}': '0x60' },
  },
  GatewayProcessNotReady: {
    labels: { component: 'worker', instance: 'a' },
    series: { 'gateway_ready{component="worker", instance="a"}': '0x60' },
  },
  GatewayEventLoopBlocked: {
    labels: { component: 'worker', instance: 'a' },
    series: {
      'nodejs_eventloop_lag_p99_seconds{component="worker", instance="a"}': '0.8x60',
      'gateway_ready{component="worker", instance="a"}': '1x60',
    },
  },
  GatewayFaults: {
    labels: { component: 'worker', place: 'answer' },
    series: { 'gateway_faults_total{component="worker", place="answer"}': '0+1x60' },
  },
  GatewayOpenFilesHigh: {
    labels: { component: 'worker', instance: 'a' },
    series: {
      'process_open_fds{component="worker", instance="a"}': '900x60',
      'process_max_fds{component="worker", instance="a"}': '1000x60',
      'gateway_ready{component="worker", instance="a"}': '1x60',
    },
  },
  GatewayConnectionsRefused: {
    labels: { component: 'front' },
    series: { 'gateway_connections_refused_total{component="front", limit="total"}': '0+60x60' },
  },
  GatewayServerErrors: {
    series: {
      'gateway_request_seconds_count{status="502"}': '0+10x60',
      'gateway_request_seconds_count{status="200"}': '0+90x60',
    },
  },
  GatewayFirstTokenSlow: {
    labels: { model: 'm' },
    series: {
      'gateway_first_token_seconds_bucket{model="m", le="10"}': '0+1x60',
      'gateway_first_token_seconds_bucket{model="m", le="30"}': '0+60x60',
      'gateway_first_token_seconds_bucket{model="m", le="+Inf"}': '0+60x60',
    },
  },
  GatewaySharesRefused: {
    labels: { share: 'requests' },
    series: { 'gateway_shares_refused_total{share="requests"}': '0+120x60' },
  },
  GatewayNoLimitsLeader: { series: { 'gateway_limits_leader{instance="a"}': '0x60' } },
  GatewayUpstreamFailing: {
    labels: { provider: 'p' },
    series: {
      'gateway_attempts_total{provider="p", outcome="failed"}': '0+30x60',
      'gateway_attempts_total{provider="p", outcome="answered"}': '0+30x60',
    },
  },
  GatewayTargetResting: {
    labels: { provider: 'p', model: 'm', reason: 'failures' },
    series: { 'gateway_target_resting{provider="p", model="m", reason="failures"}': '1x60' },
  },
  GatewayKeyRefused: {
    labels: { provider: 'p', key: 'default', reason: 'refused-key' },
    series: { 'gateway_key_resting{provider="p", key="default", reason="refused-key"}': '1x60' },
  },
  GatewayRetryBudgetSpent: { series: { gateway_retries_refused_total: '0+60x60' } },
  GatewayPoolGone: {
    labels: { pool: 'gpu' },
    series: {
      'gateway_pool_workers{pool="gpu"}': '1x10 0x50',
      'gateway_pool_workers{pool="default"}': '1x60',
    },
  },
  GatewayPoolFull: {
    labels: { pool: 'default' },
    series: {
      'gateway_pool_calls_in_flight{pool="default"}': '95x60',
      'gateway_pool_capacity{pool="default"}': '100x60',
    },
  },
  GatewayQueueSlow: {
    labels: { pool: 'default' },
    series: {
      'gateway_queue_seconds_bucket{pool="default", le="1"}': '0+1x60',
      'gateway_queue_seconds_bucket{pool="default", le="2.5"}': '0+60x60',
      'gateway_queue_seconds_bucket{pool="default", le="+Inf"}': '0+60x60',
    },
  },
  GatewayWorkersLost: { at: '12m', series: { gateway_workers_lost_total: '0x10 1x50' } },
  GatewayHeartbeatsMissed: { series: { gateway_worker_heartbeats_missed_total: '0+30x60' } },
  GatewayBusDisconnected: {
    labels: { component: 'worker', instance: 'a' },
    series: { 'gateway_bus_connected{component="worker", instance="a"}': '0x60' },
  },
  GatewayBusReconnects: { series: { 'gateway_bus_reconnects_total{connection="calls"}': '0+2x60' } },
  GatewayBusSlow: {
    labels: { component: 'worker', instance: 'a' },
    series: {
      'gateway_bus_round_trip_seconds{component="worker", instance="a", connection="calls"}': '0.2x60',
    },
  },
  GatewayLedgerLate: { series: { gateway_ledger_lag_seconds: '120x60' } },
  GatewayUsageWaiting: { series: { gateway_usage_waiting_seconds: '120x60' } },
  GatewayUsageDropped: { at: '15m', series: { gateway_usage_dropped_total: '0x10 5x50' } },
  GatewayUsageRejected: { at: '15m', series: { gateway_ledger_rejected_total: '0x10 1x50' } },
  GatewayLoggedRequestsLost: { at: '15m', series: { gateway_logged_requests_dropped_total: '0x10 5x50' } },
  GatewayCostUnknown: {
    at: '15m',
    labels: { model: 'm', provider: 'p' },
    series: { 'gateway_unpriced_attempts_total{model="m", provider="p"}': '0x10 3x50' },
  },
};
