import { trial } from './render.ts';

const database = { existingSecret: 'my-database' };

/** Values that users install with, by their special feature. */
export const matrix: Record<string, object> = {
  'a trial': trial,
  'a database by its URL': {
    database: { url: 'postgres://gateway:secret@postgres.example:5432/gateway', caSecret: 'database-ca' },
  },
  'one ingress for all': { ...trial, ingress: { combined: true } },
  'one of everything': {
    ...trial,
    pods: { replicas: 1 },
    edge: { replicas: 1 },
    ingress: { replicas: 1 },
    nats: { replicas: 1 },
  },
  'volumes of a class': { postgres: { enabled: true }, persistence: { storageClass: 'fast' } },
  'Secrets of their own': { database, secrets: { existing: 'my-gateway' } },
  'engines of their own': {
    database,
    nats: {
      enabled: false,
      external: { url: 'tls://nats-1.example:4222,tls://nats-2.example:4222', existingSecret: 'my-nats' },
      tls: { caSecret: 'my-authority' },
    },
    networkPolicy: { nats: { to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] } },
  },
  'TLS everywhere': {
    database,
    edge: { tls: { secret: 'edge-tls' } },
    nats: { tls: { secret: 'nats-tls', clientSecret: 'nats-client-tls' } },
  },
  'KEDA and autoscalers': {
    database,
    edge: { autoscaling: { minReplicas: 2, maxReplicas: 6, cpu: '700m' } },
    ingress: {
      autoscaling: { minReplicas: 2, maxReplicas: 8, cpu: '700m' },
      formats: { chat: { autoscaling: { maxReplicas: 32 } } },
    },
    control: { autoscaling: { minReplicas: 2, maxReplicas: 4, cpu: '700m' } },
    workers: [
      {
        name: 'default',
        autoscaling: { minReplicas: 2, maxReplicas: 20, cpu: '700m', callsInFlight: 500, with: 'keda' },
      },
      {
        name: 'gpu',
        pool: 'House_GPU',
        autoscaling: { minReplicas: 1, maxReplicas: 4, callsInFlight: 8, with: 'external-metric' },
      },
    ],
  },
  'several pools': {
    database,
    workers: [
      { name: 'default', replicas: 3 },
      {
        name: 'gpu',
        env: { GATEWAY_CAPACITY: 100 },
        providerKeys: 'gpu-keys',
        nodeSelector: { zone: 'gpu' },
        tolerations: [{ key: 'gpu', operator: 'Exists' }],
        resources: { requests: { cpu: '1', memory: '1Gi' } },
        upstreams: [{ podSelector: { matchLabels: { app: 'vllm' } } }],
      },
      { name: 'gpu-spot', pool: 'gpu' },
    ],
  },
  'pools elsewhere': {
    database,
    nats: { tls: { secret: 'nats-tls' }, outside: { enabled: true, pools: ['eu'] } },
  },
  'workers of a gateway elsewhere': {
    workersOnly: true,
    workers: [{ name: 'eu' }],
    secrets: { existing: 'elsewhere' },
    nats: { enabled: false, external: { url: 'tls://nats.example:4222', existingSecret: 'elsewhere-bus' } },
  },
  'doors and monitors': {
    database,
    trustedProxies: { external: ['10.1.0.0/16'] },
    edge: {
      service: { type: 'LoadBalancer', port: 8443, annotations: { 'example.com/internal': 'true' } },
      ingress: { enabled: true, className: 'nginx', host: 'gateway.example', tlsSecret: 'gateway-tls' },
      httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['gateway.example'] },
      proxyProtocol: ['10.0.0.5', 'fd00::/64'],
    },
    podMonitor: { enabled: true, labels: { release: 'prometheus' } },
    alerts: { enabled: true, labels: { release: 'prometheus' } },
    dashboards: { enabled: true, folder: 'Model Gateway' },
  },
  'a catalog of their own': {
    database,
    providerKeys: 'provider-keys',
    simulator: { enabled: false },
    catalog: {
      providers: [{ name: 'openai', kind: 'openai', apiKey: { env: 'OPENAI_API_KEY' } }],
      models: [{ name: 'openai/*', targets: [{ provider: 'openai', model: '*' }] }],
    },
  },
};
