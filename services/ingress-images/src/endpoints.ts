import type { Endpoint } from '@model-gateway/ingress';
import { edits } from './edits/endpoint.ts';
import { generations } from './generations/endpoint.ts';
import { variations } from './variations/endpoint.ts';

/** Everything that this ingress answers. */
export const endpoints: readonly Endpoint[] = [generations, edits, variations];
