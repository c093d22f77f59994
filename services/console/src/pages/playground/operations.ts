import { type ComponentType, lazy } from 'react';
import type { OperationProps } from './operation/operation.ts';

/** A tab of the Playground beside the chat: one operation of the data plane. */
export interface PlaygroundOperation {
  /** The path below `/playground`. */
  path: string;
  label: string;
  /** The operations of which a model must support one, as `GET /api/v1/token` names them. */
  needs: readonly string[];
  /** The kind of models that can do it, as a sentence ends with it: `No model can …`. */
  does: string;
  Component: ComponentType<OperationProps>;
}

/** The tabs in their order. Each is loaded when it is first opened. */
export const operations: readonly PlaygroundOperation[] = [
  {
    path: 'embeddings',
    label: 'Embeddings',
    needs: ['embed'],
    does: 'make embeddings',
    Component: lazy(() => import('./operations/embeddings.tsx').then(tab => ({ default: tab.Embeddings }))),
  },
  {
    path: 'rerank',
    label: 'Rerank',
    needs: ['rerank'],
    does: 'rank documents',
    Component: lazy(() => import('./operations/rerank.tsx').then(tab => ({ default: tab.Rerank }))),
  },
  {
    path: 'moderations',
    label: 'Moderations',
    needs: ['moderate'],
    does: 'moderate',
    Component: lazy(() => import('./operations/moderations.tsx').then(tab => ({ default: tab.Moderations }))),
  },
  {
    path: 'images',
    label: 'Images',
    needs: ['image'],
    does: 'make images',
    Component: lazy(() => import('./operations/images.tsx').then(tab => ({ default: tab.Images }))),
  },
  {
    path: 'speech',
    label: 'Speech',
    needs: ['speech'],
    does: 'speak',
    Component: lazy(() => import('./operations/speech.tsx').then(tab => ({ default: tab.Speech }))),
  },
  {
    path: 'transcription',
    label: 'Transcription',
    needs: ['transcribe'],
    does: 'transcribe sound',
    Component: lazy(() =>
      import('./operations/transcription.tsx').then(tab => ({ default: tab.Transcription })),
    ),
  },
  {
    path: 'realtime',
    label: 'Realtime',
    needs: ['realtime', 'generate'],
    does: 'hold a session',
    Component: lazy(() => import('./realtime/realtime.tsx').then(tab => ({ default: tab.Realtime }))),
  },
];
