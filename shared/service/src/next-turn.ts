/** A task over more bytes than these is done in steps. */
export const stepBytes = 256 * 1024;

/**
 * Separates the steps of a task that is long where `bytes` are many: resolves once the process has done what else waits,
 * so that no single task blocks the event loop for all of its steps.
 */
export async function nextTurn(bytes: number): Promise<void> {
  if (bytes > stepBytes) await new Promise(resolve => setImmediate(resolve));
}
