import type { CausedAlert } from './promtool.ts';

/** For each alert, series that cause it, when it must fire, and the labels of the firing alert beside its severity. */
export const causes: Record<string, CausedAlert> = {
  GatewayProcessDown: {
    at: '30m',
    labels: { component: 'worker', instance: 'a' },
    series: {
      'up{component="worker", instance="a"}': '0x60',
    },
  },
  GatewayProcessNotReady: {
    at: '30m',
    labels: { component: 'worker', instance: 'a' },
    series: {
      'gateway_ready{component="worker", instance="a"}': '0x60',
    },
  },
  GatewayEventLoopBlocked: {
    at: '30m',
    labels: { component: 'worker', instance: 'a' },
    series: {
      'nodejs_eventloop_lag_p99_seconds{component="worker", instance="a"}': '0.8x60',
      'gateway_ready{component="worker", instance="a"}': '1x60',
    },
  },
  GatewayOpenFilesHigh: {
    at: '30m',
    labels: { component: 'worker', instance: 'a' },
    series: {
      'process_open_fds{component="worker", instance="a"}': '900x60',
      'process_max_fds{component="worker", instance="a"}': '1000x60',
      'gateway_ready{component="worker", instance="a"}': '1x60',
    },
  },
  GatewayConnectionsRefused: {
    at: '30m',
    labels: { component: 'front' },
    series: {
      'gateway_connections_refused_total{component="front", limit="total"}': '0+60x60',
    },
  },
  GatewayServerErrors: {
    at: '30m',
    labels: {},
    series: {
      'gateway_request_seconds_count{status="502"}': '0+10x60',
      'gateway_request_seconds_count{status="200"}': '0+90x60',
    },
  },
  GatewayFirstTokenSlow: {
    at: '30m',
    labels: { model: 'm' },
    series: {
      'gateway_first_token_seconds_bucket{model="m", le="10"}': '0+1x60',
      'gateway_first_token_seconds_bucket{model="m", le="30"}': '0+60x60',
      'gateway_first_token_seconds_bucket{model="m", le="+Inf"}': '0+60x60',
    },
  },
  GatewaySharesRefused: {
    at: '30m',
    labels: { share: 'requests' },
    series: {
      'gateway_shares_refused_total{share="requests"}': '0+120x60',
    },
  },
  GatewayNoLimitsLeader: {
    at: '30m',
    labels: {},
    series: {
      'gateway_limits_leader{instance="a"}': '0x60',
    },
  },
  GatewayUpstreamFailing: {
    at: '30m',
    labels: { provider: 'p' },
    series: {
      'gateway_attempts_total{provider="p", outcome="failed"}': '0+30x60',
      'gateway_attempts_total{provider="p", outcome="answered"}': '0+30x60',
    },
  },
  GatewayTargetResting: {
    at: '30m',
    labels: { provider: 'p', model: 'm', reason: 'failures' },
    series: {
      'gateway_target_resting{provider="p", model="m", reason="failures"}': '1x60',
    },
  },
  GatewayKeyRefused: {
    at: '30m',
    labels: { provider: 'p', key: 'default', reason: 'refused-key' },
    series: {
      'gateway_key_resting{provider="p", key="default", reason="refused-key"}': '1x60',
    },
  },
  GatewayRetryBudgetSpent: {
    at: '30m',
    labels: {},
    series: {
      gateway_retries_refused_total: '0+60x60',
    },
  },
  GatewayPoolGone: {
    at: '30m',
    labels: { pool: 'gpu' },
    series: {
      'gateway_pool_workers{pool="gpu"}': '1x10 0x50',
      'gateway_pool_workers{pool="default"}': '1x60',
    },
  },
  GatewayPoolFull: {
    at: '30m',
    labels: { pool: 'default' },
    series: {
      'gateway_pool_calls_in_flight{pool="default"}': '95x60',
      'gateway_pool_capacity{pool="default"}': '100x60',
    },
  },
  GatewayQueueSlow: {
    at: '30m',
    labels: { pool: 'default' },
    series: {
      'gateway_queue_seconds_bucket{pool="default", le="1"}': '0+1x60',
      'gateway_queue_seconds_bucket{pool="default", le="2.5"}': '0+60x60',
      'gateway_queue_seconds_bucket{pool="default", le="+Inf"}': '0+60x60',
    },
  },
  GatewayWorkersLost: {
    at: '12m',
    labels: {},
    series: {
      gateway_workers_lost_total: '0x10 1x50',
    },
  },
  GatewayHeartbeatsMissed: {
    at: '30m',
    labels: {},
    series: {
      gateway_worker_heartbeats_missed_total: '0+30x60',
    },
  },
  GatewayBusDisconnected: {
    at: '30m',
    labels: { component: 'worker', instance: 'a' },
    series: {
      'gateway_bus_connected{component="worker", instance="a"}': '0x60',
    },
  },
  GatewayBusReconnects: {
    at: '30m',
    labels: {},
    series: {
      'gateway_bus_reconnects_total{connection="calls"}': '0+2x60',
    },
  },
  GatewayBusSlow: {
    at: '30m',
    labels: { component: 'worker', instance: 'a' },
    series: {
      'gateway_bus_round_trip_seconds{component="worker", instance="a", connection="calls"}': '0.2x60',
    },
  },
  GatewayLedgerLate: {
    at: '30m',
    labels: {},
    series: {
      gateway_ledger_lag_seconds: '120x60',
    },
  },
  GatewayUsageWaiting: {
    at: '30m',
    labels: {},
    series: {
      gateway_usage_waiting_seconds: '120x60',
    },
  },
  GatewayUsageDropped: {
    at: '15m',
    labels: {},
    series: {
      gateway_usage_dropped_total: '0x10 5x50',
    },
  },
  GatewayUsageRejected: {
    at: '15m',
    labels: {},
    series: {
      gateway_ledger_rejected_total: '0x10 1x50',
    },
  },
  GatewayLoggedRequestsLost: {
    at: '15m',
    labels: {},
    series: {
      gateway_logged_requests_dropped_total: '0x10 5x50',
    },
  },
  GatewayCostUnknown: {
    at: '15m',
    labels: { model: 'm', provider: 'p' },
    series: {
      'gateway_unpriced_attempts_total{model="m", provider="p"}': '0x10 3x50',
    },
  },
};
