import { type Signature, writeSignature } from '@model-gateway/canonical';
import type { GoogleAnswerPart } from '@model-gateway/wire';

export function renderProof(signature: Signature | undefined): { thoughtSignature?: string } {
  return signature ? { thoughtSignature: writeSignature(signature, 'generate-content') } : {};
}

/** A thought of which nothing more is shown, or nothing at all, with its signature. */
export function thoughtOf(signature: Signature, hidden = false): GoogleAnswerPart {
  return { ...(!hidden && { text: '' }), thought: true, ...renderProof(signature) };
}

/**
 * The signature of thoughts that another vendor signed waits for the part after them: there this format has its own, and
 * there its clients keep it, of whom some send no thoughts back.
 */
export class WaitingProof {
  #signature: Signature | undefined;

  wait(signature: Signature): void {
    this.#signature = signature;
  }

  /** For the part that comes now. */
  take(): { thoughtSignature?: string } {
    const proof = renderProof(this.#signature);
    this.#signature = undefined;
    return proof;
  }

  /** As a part of its own, where nothing comes that could have it. */
  alone(): GoogleAnswerPart[] {
    const signature = this.#signature;
    this.#signature = undefined;
    return signature ? [thoughtOf(signature)] : [];
  }
}
