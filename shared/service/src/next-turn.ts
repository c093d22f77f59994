/** A task over more bytes than these is done in steps. */
export const stepBytes = 256 * 1024;

/**
 * Separates the steps of a task, which is long where `bytes` are many: resolves once the process has done what else waits,
 * so that no task blocks the event loop for all of its steps.
 */
export async function nextTurn(bytes = Number.POSITIVE_INFINITY): Promise<void> {
  if (bytes > stepBytes) await new Promise(resolve => setImmediate(resolve));
}
