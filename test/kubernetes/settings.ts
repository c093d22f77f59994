import { env } from 'node:process';

/** An image in the form of the chart's values. */
export interface Image {
  repository: string;
  tag: string;
}

/** The test's settings for the cluster; each has a line in README.md. */
export interface Settings {
  image: Image;
  natsImage: string;
  postgresImage: string;
  /** The gateway's image of the previous version; undefined if no upgrade from it is tested. */
  previousImage: Image | undefined;
  /** A host at which NodePorts answer; undefined if the API reports it. */
  nodeAddress: string | undefined;
  namespace: string;
  /** True if the namespace stays at the end. */
  keep: boolean;
}

/** @throws Error if no cluster is configured */
export function readSettings(): Settings {
  if (!env.KUBECONFIG)
    throw new Error('KUBECONFIG is not set: name the cluster to test on, and see test/kubernetes/README.md');
  return {
    image: imageOf(env.GATEWAY_TEST_IMAGE ?? 'model-gateway:latest'),
    natsImage: env.GATEWAY_TEST_NATS_IMAGE ?? 'nats:2.15-alpine',
    postgresImage: env.GATEWAY_TEST_POSTGRES_IMAGE ?? 'postgres:17',
    previousImage: env.GATEWAY_TEST_PREVIOUS_IMAGE ? imageOf(env.GATEWAY_TEST_PREVIOUS_IMAGE) : undefined,
    nodeAddress: env.GATEWAY_TEST_NODE_ADDRESS,
    namespace: env.GATEWAY_TEST_NAMESPACE ?? 'model-gateway-test',
    keep: env.GATEWAY_TEST_KEEP === '1',
  };
}

/** Splits `repository:tag`; a colon before the last slash belongs to a registry's port. */
export function imageOf(name: string): Image {
  const [, repository = name, tag = 'latest'] = /^(.+?)(?::([^:/]+))?$/.exec(name) ?? [];
  return { repository, tag };
}
