import { ConfigError } from './config.ts';
import type { Settings } from './settings.ts';

export interface ConnectionLimits {
  /** The most open connections of one client address, or of one /64 for IPv6; 0 is no limit. */
  perAddress: number;
  /** The most open connections of the process. */
  total: number;
}

/** The most connections of a process by default, however many files it may open. */
export const mostConnections = 20_000;
/** Default share of a process's files for connections; uploads, NATS and the database need the rest. */
export const connectionsPartOfFiles = 0.75;

/**
 * Returns the limits from the settings and the number of files that the process may open.
 * @throws ConfigError if the settings allow more connections than files
 */
export function connectionLimits(
  settings: Settings<'GATEWAY_ADDRESS_CONNECTIONS' | 'GATEWAY_CONNECTIONS'>,
  files = openFileLimit(),
): ConnectionLimits {
  const { GATEWAY_ADDRESS_CONNECTIONS: perAddress, GATEWAY_CONNECTIONS: configured } = settings;
  if (configured !== undefined && configured >= files)
    throw new ConfigError(
      `GATEWAY_CONNECTIONS: ${configured} connections need more than the ${files} files that this process may open: raise the limit (ulimit -n)`,
    );
  return {
    perAddress,
    total: configured ?? Math.min(mostConnections, Math.floor(files * connectionsPartOfFiles)),
  };
}

/** Returns the number of files, including sockets, that this process may open. */
function openFileLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const before = report.excludeNetwork;
  // Otherwise the report looks up the names of peers, which is slow.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  report.excludeNetwork = before;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
