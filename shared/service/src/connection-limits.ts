import { ConfigError } from './config.ts';

export interface ConnectionLimits {
  /** The most open connections of one client address, of IPv6 of one /64; 0 is no limit. */
  perAddress: number;
  /** The most open connections of the process. */
  total: number;
}

/** The most connections of a process that is allowed enough files. */
export const mostConnections = 20_000;
/** The part of a process's files that connections may take unless a setting says more: uploads, NATS and the database need some. */
export const connectionsPartOfFiles = 0.75;

/**
 * The limits that the settings and the number of files that the process may open allow.
 * @throws ConfigError where the settings ask for more connections than files
 */
export function connectionLimits(
  settings: { GATEWAY_ADDRESS_CONNECTIONS: number; GATEWAY_CONNECTIONS?: number | undefined },
  files = openFileLimit(),
): ConnectionLimits {
  const { GATEWAY_ADDRESS_CONNECTIONS: perAddress, GATEWAY_CONNECTIONS: asked } = settings;
  if (asked !== undefined && asked >= files)
    throw new ConfigError(
      `GATEWAY_CONNECTIONS: ${asked} connections need more than the ${files} files that this process may open: allow it more (ulimit -n)`,
    );
  return {
    perAddress,
    total: asked ?? Math.min(mostConnections, Math.floor(files * connectionsPartOfFiles)),
  };
}

/** The number of files, and so sockets, that this process may have open. */
function openFileLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const before = report.excludeNetwork;
  // The report would look up names of peers, which takes long.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  report.excludeNetwork = before;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
