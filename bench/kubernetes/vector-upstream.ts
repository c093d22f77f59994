/** The name of the Service. */
export const vectorUpstream = 'vector-upstream';
export const vectorUpstreamLabels = { app: vectorUpstream };

/** Answers each request with the same 64 vectors of 1,536 numbers, written once: it costs next to no CPU. */
const code = `
  const values = Array.from({ length: 1536 }, (_, i) => Math.fround(Math.sin(i + 1)));
  const body = Buffer.from(JSON.stringify({ embeddings: Array(64).fill({ values }) }));
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  require('http').createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, headers).end(body));
  }).listen(8080);
  process.on('SIGTERM', () => process.exit());
`;

/** A Deployment and a Service of an upstream of vectors that runs in the gateway's image. */
export function vectorUpstreamObjects(image: string): object[] {
  const metadata = { name: vectorUpstream, labels: vectorUpstreamLabels };
  const container = {
    name: 'upstream',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['node', '-e', code],
    ports: [{ containerPort: 8080 }],
    readinessProbe: { tcpSocket: { port: 8080 } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
      runAsUser: 10_001,
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 1,
        selector: { matchLabels: vectorUpstreamLabels },
        template: { metadata: { labels: vectorUpstreamLabels }, spec: { containers: [container] } },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: vectorUpstreamLabels, ports: [{ port: 8080 }] },
    },
  ];
}
