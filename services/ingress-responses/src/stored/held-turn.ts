import type { Outlet, Share } from '@model-gateway/ingress';
import type { Turn } from './turn.ts';

/** The texts that a turn holds until it is kept, in bytes. */
function sizeOf({ meta, base, input }: Omit<Turn, 'response'>): number {
  const texts = [base, input, meta.background?.request ?? ''];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Counts a turn until its answer is over, or the returned function is called. @throws GatewayError where too much is held already */
export function holdTurn(share: Share, turn: Omit<Turn, 'response'>, to: Outlet): () => void {
  if (!to.destroyed) share.take(sizeOf(turn));
  to.on('close', () => share.giveBack());
  return () => share.giveBack();
}
